#pragma once

#include <stdexcept>
#include <string>

namespace isotap::proxy {

/// Why a command cannot begin. The text has the form 'what happened: what to do'; `main` puts
/// `isotap: ` before it and ends with the code.
class StartupError : public std::runtime_error {
  public:
    enum class Kind { usage, failure };

    StartupError(Kind kind, const std::string& message)
        : std::runtime_error(message), kind_(kind) {}

    [[nodiscard]] int exit_code() const noexcept { return kind_ == Kind::usage ? 2 : 3; }

  private:
    Kind kind_;
};

}  // namespace isotap::proxy
