#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/types.h>
#include <vector>

#include "proxy/workload/sandbox_image.hpp"

namespace isotap::proxy {

/// A throw-away server on a free port of 127.0.0.1, with durability off: made from installed
/// programs, in a temporary folder, as an unprivileged user; where they are missing, from an image
/// by podman or docker. The destructor stops it and removes the folder. One thread; SIGCHLD belongs
/// to the caller.
class Sandbox {
  public:
    /// Throws StartupError when neither is there (usage) or the server does not start (failure).
    explicit Sandbox(SandboxKind kind);
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    [[nodiscard]] const std::string& url() const noexcept { return url_; }

    /// False when the server has ended by itself.
    [[nodiscard]] bool running();

  private:
    void start(const std::string& port);
    void start_postgres(const std::filesystem::path& programs, const std::string& port);
    void start_mysql(const std::filesystem::path& program, const std::string& port);
    void start_image(const std::string& port);
    template <typename Answers>
    void await(const std::string& log, std::chrono::seconds patience, Answers answers);
    void end() noexcept;

    SandboxKind kind_;
    std::filesystem::path folder_;
    pid_t server_ = -1;
    std::vector<std::string> remove_;  ///< the command that takes a container away
    std::string url_;
};

}  // namespace isotap::proxy
