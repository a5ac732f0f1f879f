#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/certificates.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {

/// Which server of the family: Debian's MariaDB, Oracle's MySQL, or a newer MariaDB (11.8); the
/// last two out of folders of their own.
enum class MysqlFlavour { mariadb, mysql, mariadb_11 };

inline void PrintTo(MysqlFlavour flavour, std::ostream* out) {
    constexpr std::array names{"mariadb", "mysql", "mariadb_11"};
    *out << names.at(static_cast<std::size_t>(flavour));
}

/// False, with the reason on stderr, when this machine cannot have it: tests then skip, loudly.
bool mysql_available(MysqlFlavour flavour);

/// How a throw-away server shall be.
struct MysqlOptions {
    MysqlFlavour flavour = MysqlFlavour::mariadb;
    bool tls = false;                     ///< listens with a certificate of its own authority
    std::vector<std::string> settings{};  ///< `name=value`, as the command line takes them
    std::uint16_t port = 0;               ///< 0: any free one
};

/// A real server in a temporary folder, on a free port of 127.0.0.1 and a unix socket, with user
/// `root` and user `tap`, both without a password and with every right, and a database `shop`.
/// Durability is off. Ready when constructed; the destructor stops it and removes its folder. One
/// thread.
class MysqlServer {
  public:
    /// Throws std::runtime_error when the server cannot be had or does not start.
    explicit MysqlServer(MysqlOptions options = {});

    [[nodiscard]] MysqlFlavour flavour() const noexcept { return options_.flavour; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] pid_t process() const noexcept { return server_->id(); }
    [[nodiscard]] std::string log() const { return server_->output(); }

    /// Where the unix socket `server.sock` lies, and where tests may put files.
    [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

    /// Only with TLS: who signed the server's certificate, and that certificate.
    [[nodiscard]] const CertificateAuthority& authority() const { return authority_.value(); }
    [[nodiscard]] const Certificate& certificate() const noexcept { return certificate_; }

    /// mysql://tap@127.0.0.1:port/shop
    [[nodiscard]] std::string url() const;

    /// Runs SQL text as root over the unix socket; what it printed, tab-separated, without
    /// headings. Throws on any error.
    // NOLINTNEXTLINE(modernize-use-nodiscard): often for its effect
    std::string sql(const std::string& text) const;

    /// Ends it as a crash would.
    void kill();

    /// Starts it again, on the same port.
    void start();

  private:
    void prepare_folder();
    [[nodiscard]] std::vector<std::string> command_line() const;

    MysqlOptions options_;
    std::optional<User> user_ = unprivileged_user();
    TemporaryFolder folder_{user_};
    std::optional<CertificateAuthority> authority_;
    Certificate certificate_;
    std::uint16_t port_ = 0;
    std::unique_ptr<Process> server_;
};

}  // namespace isotap::test
