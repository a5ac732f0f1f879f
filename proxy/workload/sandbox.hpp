#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace isotap::proxy {

enum class SandboxKind { postgres, mariadb, mysql };

/// A throw-away server made from installed programs, in a temporary folder, on a free port of
/// 127.0.0.1, as an unprivileged user, with durability off. The destructor stops it and removes
/// the folder. One thread; SIGCHLD belongs to the caller.
class Sandbox {
  public:
    /// Throws StartupError when a program is missing (usage) or the server does not start
    /// (failure).
    explicit Sandbox(SandboxKind kind);
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    [[nodiscard]] const std::string& url() const noexcept { return url_; }

    /// False when the server has ended by itself.
    [[nodiscard]] bool running();

  private:
    void start_postgres(const std::string& port);
    void start_mysql(const std::string& port);
    template <typename Answers>
    void await(const std::string& log, Answers answers);
    void end() noexcept;

    SandboxKind kind_;
    std::filesystem::path folder_;
    pid_t server_ = -1;
    std::string url_;
};

}  // namespace isotap::proxy
