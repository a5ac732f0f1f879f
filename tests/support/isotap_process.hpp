#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/process.hpp"

namespace isotap::test {

/// `isotap proxy` in front of one server, on a port of its own. Ready when constructed. The
/// destructor stops it; a test that cares for the exit code calls stop().
class IsotapProcess {
  public:
    /// Options beyond --upstream, as on the command line; listens on 127.0.0.1 if they do not say.
    explicit IsotapProcess(const std::string& upstream, std::vector<std::string> options = {},
                           std::optional<User> run_as = std::nullopt);

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] Process& process() noexcept { return process_; }
    [[nodiscard]] std::string log() const { return process_.output(); }

    /// `http://host:port` of the admin page; needs `--admin` among the options.
    [[nodiscard]] std::string admin_url();

    /// The body of what the admin page answers for a path. Needs `--admin`.
    [[nodiscard]] std::string get(std::string_view path);

    /// What /metrics says now: by name with labels, as written there. Needs `--admin`.
    [[nodiscard]] std::map<std::string, double> metrics();

    /// How many anomalies it has found so far, hazards among them.
    [[nodiscard]] double anomalies();

    /// Asks it to end as a service manager would; its exit code.
    int stop() { return process_.stop(); }

  private:
    Process process_;
    std::uint16_t port_ = 0;
};

/// Resident memory of a process, and the most it ever was, in bytes.
struct Memory {
    std::size_t resident = 0;
    std::size_t peak = 0;
};
Memory memory_of(pid_t process);

/// How many file descriptors a process holds open.
std::size_t descriptors_of(pid_t process);

}  // namespace isotap::test
