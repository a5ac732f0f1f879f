#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/certificates.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {

/// The folder with the programs of a major version (12, 15, 18), fetched when it must be. Empty,
/// with the reason on stderr, when this machine cannot have it: tests then skip, loudly.
std::optional<std::filesystem::path> postgres_programs(int major);

/// How a throw-away server shall be.
struct PostgresOptions {
    int version = 15;
    bool tls = false;  ///< listens with a certificate of its own authority
    /// Lines of pg_hba.conf; the default lets everybody in.
    std::string hba = "local all,replication all trust\nhost all,replication all all trust\n";
    std::vector<std::string> settings{};  ///< `name=value`, as `-c` takes them
    std::uint16_t port = 0;               ///< 0: any that is free
};

/// A real PostgreSQL server in a temporary folder, on a free port of 127.0.0.1 and a unix socket,
/// with superuser and database `postgres`. Durability is off. Ready when constructed; the
/// destructor stops it and removes its folder. One thread.
class PostgresServer {
  public:
    /// Throws std::runtime_error when the version cannot be had or the server does not start.
    explicit PostgresServer(PostgresOptions options = {});

    [[nodiscard]] int version() const noexcept { return options_.version; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] pid_t process() const noexcept { return server_->id(); }
    [[nodiscard]] std::string log() const { return server_->output(); }

    /// Where the unix socket lies, and where tests may put files that the server shall read.
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }
    [[nodiscard]] const std::filesystem::path& programs() const noexcept { return programs_; }

    /// Only with TLS: who signed the server's certificate, and that certificate.
    [[nodiscard]] const CertificateAuthority& authority() const { return authority_.value(); }
    [[nodiscard]] const Certificate& certificate() const noexcept { return certificate_; }

    /// postgres://user@127.0.0.1:port/database
    [[nodiscard]] std::string url(const std::string& user = "postgres",
                                  const std::string& database = "postgres") const;

    /// Runs SQL text with psql, as superuser over the unix socket; what it printed, unaligned and
    /// without headings. Throws on any error.
    std::string sql(const std::string& text);

    /// `immediate` ends it as a crash would (SIGQUIT), otherwise sessions are cut in order
    /// (SIGINT).
    void stop(bool immediate = false);

    /// Starts it again, on the same port.
    void start();

  private:
    void prepare_folder();
    [[nodiscard]] std::vector<std::string> command_line() const;

    PostgresOptions options_;
    std::filesystem::path programs_;
    std::optional<User> user_ = unprivileged_user();
    TemporaryFolder folder_{user_};
    std::optional<CertificateAuthority> authority_;
    Certificate certificate_;
    std::uint16_t port_ = 0;
    std::unique_ptr<Process> server_;
};

}  // namespace isotap::test
