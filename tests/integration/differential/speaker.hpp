#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "tests/integration/differential/heard.hpp"
#include "tests/integration/differential/statement_generator.hpp"

namespace isotap::test {

/// How a statement is sent.
enum class Way : std::uint8_t { simple, parameters, binary, prepared, pipeline };

/// A client of one server. Not thread-safe.
class Speaker {
  public:
    /// Throws std::runtime_error where there is no connection.
    Speaker(std::uint16_t port, const std::string& database);

    /// Whether the modifiers of columns are part of what is heard from now on.
    void tell_modifiers(bool tell) noexcept { modifiers_ = tell; }
    /// Whether the place of an error in the text is.
    void tell_positions(bool tell) noexcept { positions_ = tell; }

    Heard say(const GeneratedStatement& statement, Way way);
    [[nodiscard]] PGTransactionStatusType status() const noexcept {
        return PQtransactionStatus(connection_.get());
    }

  private:
    struct Finish {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };

    static void take_notice(void* speaker, const PGresult* notice);
    void send(const GeneratedStatement& statement, Way way);
    void hear_all();
    void hear(const PGresult* result);
    void hear_copy_out();
    void send_copy_in();

    std::unique_ptr<PGconn, Finish> connection_;
    Heard heard_;
    int names_ = 0;
    bool modifiers_ = true;
    bool positions_ = true;
};

}  // namespace isotap::test
