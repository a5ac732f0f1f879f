#include "proxy/workload/sandbox.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <mysql.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>
#include <libpq-fe.h>

#include "isotap/proxy/startup_error.hpp"

#include "proxy/catalog/mysql_login.hpp"
#include "proxy/workload/child.hpp"

namespace isotap::proxy {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::seconds start_patience{60};
constexpr std::chrono::minutes download_patience{15};
constexpr int look_again_ms = 50;

/// A port that was free a moment ago.
std::string free_port() {
    boost::asio::io_context io;
    const boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    return std::to_string(acceptor.local_endpoint().port());
}

fs::path in_path(const std::string& program) {
    const char* variable = std::getenv("PATH");
    std::string folders = variable == nullptr ? "" : variable;
    folders += ":/usr/sbin:/usr/local/sbin";
    for (std::size_t from = 0; from < folders.size();) {
        const std::size_t end = std::min(folders.find(':', from), folders.size());
        fs::path path = fs::path(folders.substr(from, end - from)) / program;
        if (access(path.c_str(), X_OK) == 0) return path;
        from = end + 1;
    }
    return {};
}

/// Debian keeps PostgreSQL's programs out of the way, one folder a version: the newest. Empty where
/// there are none.
fs::path postgres_folder() {
    fs::path best;
    int best_version = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
        const int version = std::atoi(entry.path().filename().c_str());
        if (version > best_version && fs::exists(entry.path() / "bin" / "initdb")) {
            best_version = version;
            best = entry.path() / "bin";
        }
    }
    return best.empty() ? in_path("initdb").parent_path() : best;
}

/// MariaDB goes by the name of mysqld as well.
fs::path mysql_program(SandboxKind kind) {
    const bool mariadb = kind == SandboxKind::mariadb;
    fs::path program = in_path(mariadb ? "mariadbd" : "mysqld");
    if (program.empty() || (fs::canonical(program).filename() == "mariadbd") != mariadb) return {};
    return program;
}

void give(const fs::path& folder, const Account& account) {
    if (geteuid() == 0 && chown(folder.c_str(), account.user, account.group) != 0) {
        throw StartupError(StartupError::Kind::failure,
                           folder.string() + " cannot be given away: look at the machine");
    }
}

bool answers_postgres(const std::string& url) {
    return PQping(url.c_str()) == PQPING_OK;
}

/// Lets root in over TCP, without a password, from this machine alone.
bool answers_mysql(const std::string& socket) {
    const MysqlConnection connection(mysql_init(nullptr));
    if (mysql_real_connect(connection.get(), nullptr, "root", "", nullptr, 0, socket.c_str(), 0) ==
        nullptr) {
        return false;
    }
    for (const char* statement : {"CREATE DATABASE sandbox", "CREATE USER sandbox@'127.0.0.1'",
                                  "GRANT ALL ON *.* TO sandbox@'127.0.0.1' WITH GRANT OPTION"}) {
        if (mysql_query(connection.get(), statement) != 0) return false;
    }
    return true;
}

/// Whether the server of an image lets the URL's user in.
bool answers(SandboxKind kind, const std::string& url, const std::string& port) {
    if (kind == SandboxKind::postgres) return answers_postgres(url);
    const MysqlConnection connection(mysql_init(nullptr));
    return mysql_real_connect(connection.get(), "127.0.0.1", "root", "", "sandbox",
                              static_cast<unsigned>(std::atoi(port.c_str())), nullptr,
                              0) != nullptr;
}

std::string_view wanted_program(SandboxKind kind) {
    switch (kind) {
        case SandboxKind::postgres: return "initdb of PostgreSQL";
        case SandboxKind::mariadb: return "mariadbd";
        case SandboxKind::mysql: return "mysqld of Oracle";
    }
    return {};
}

std::string_view wanted_package(SandboxKind kind) {
    switch (kind) {
        case SandboxKind::postgres: return "postgresql";
        case SandboxKind::mariadb: return "mariadb-server";
        case SandboxKind::mysql: return "MySQL's server";
    }
    return {};
}

}  // namespace

Sandbox::Sandbox(SandboxKind kind) : kind_(kind) {
    std::string pattern = (fs::temp_directory_path() / "isotap-sandbox-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw StartupError(StartupError::Kind::failure,
                           "no temporary folder can be made: look at TMPDIR");
    }
    folder_ = pattern;
    try {
        start(free_port());
    } catch (...) {
        end();
        throw;
    }
}

Sandbox::~Sandbox() {
    end();
}

void Sandbox::start(const std::string& port) {
    const fs::path programs =
        kind_ == SandboxKind::postgres ? postgres_folder() : mysql_program(kind_);
    if (programs.empty()) {
        start_image(port);
    } else if (kind_ == SandboxKind::postgres) {
        start_postgres(programs, port);
    } else {
        start_mysql(programs, port);
    }
}

void Sandbox::end() noexcept {
    if (server_ > 0 && !remove_.empty()) {
        try {
            run_program(remove_, folder_, folder_ / "log", {geteuid(), getegid()});
        } catch (const std::exception&) {  // whoever ran it ends below, and takes it with him
        }
    }
    if (server_ > 0) {
        // Nothing is worth keeping; but PostgreSQL has memory to give back.
        kill(server_, kind_ == SandboxKind::postgres ? SIGQUIT : SIGKILL);
        while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
        }
        server_ = -1;
    }
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

bool Sandbox::running() {
    if (server_ > 0 && waitpid(server_, nullptr, WNOHANG) == server_) server_ = -1;
    return server_ > 0;
}

template <typename Answers>
void Sandbox::await(const std::string& log, std::chrono::seconds patience, Answers answers) {
    const int watched = static_cast<int>(syscall(SYS_pidfd_open, server_, 0));
    const auto deadline = steady_clock::now() + patience;
    while (!answers()) {
        pollfd end{watched, POLLIN, 0};
        poll(&end, 1, look_again_ms);  // until it ends, or a little
        if (!running() || steady_clock::now() > deadline) {
            if (watched >= 0) close(watched);
            throw StartupError(
                StartupError::Kind::failure,
                fmt::format("the server does not start: it said '{}'", end_of_file(log)));
        }
    }
    if (watched >= 0) close(watched);
}

void Sandbox::start_postgres(const fs::path& programs, const std::string& port) {
    const Account account = unprivileged_account("postgres");
    give(folder_, account);
    const std::string log = folder_ / "log";
    const std::string data = folder_ / "data";
    run_program({programs / "initdb", "-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C",
                 "--auth=trust", "--no-sync"},
                folder_, log, account);
    server_ = start_program({programs / "postgres", "-D", data, "-p", port, "-k", folder_, "-h",
                             "127.0.0.1", "-F", "-c", "max_prepared_transactions=10"},
                            folder_, log, account);
    url_ = fmt::format("postgres://postgres@127.0.0.1:{}/postgres", port);
    await(log, start_patience, [&] { return answers_postgres(url_); });
}

void Sandbox::start_image(const std::string& port) {
    const std::string engine = in_path("podman").empty() ? in_path("docker") : in_path("podman");
    if (engine.empty()) {
        throw StartupError(StartupError::Kind::usage,
                           fmt::format("there is no {}, and neither podman nor docker to get it "
                                       "as an image: install {} or one of the two",
                                       wanted_program(kind_), wanted_package(kind_)));
    }
    const SandboxImage image = sandbox_image(kind_, engine, folder_.filename().string(), port);
    const std::string log = folder_ / "log";
    server_ = start_program(image.run, folder_, log, {geteuid(), getegid()});
    remove_ = image.remove;
    url_ = image.url;
    await(log, download_patience, [&] { return answers(kind_, url_, port); });
}

void Sandbox::start_mysql(const fs::path& program, const std::string& port) {
    const bool mariadb = kind_ == SandboxKind::mariadb;
    const Account account = unprivileged_account("mysql");
    give(folder_, account);
    const std::string log = folder_ / "log";
    const std::string data = "--datadir=" + (folder_ / "data").string();
    // A server that starts removes temporary tables from there, also those of another one.
    const std::string temporary = "--tmpdir=" + folder_.string();
    if (mariadb) {
        run_program({"mariadb-install-db", "--no-defaults", data, temporary,
                     "--auth-root-authentication-method=normal", "--skip-test-db"},
                    folder_, log, account);
    } else {
        run_program({program, "--no-defaults", "--initialize-insecure", data, temporary}, folder_,
                    log, account);
    }
    const std::string socket = folder_ / "socket";
    server_ = start_program(
        {program, "--no-defaults", data, temporary, "--socket=" + socket, "--port=" + port,
         "--bind-address=127.0.0.1", "--skip-log-bin", "--pid-file=" + (folder_ / "pid").string(),
         "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M",
         "--performance-schema=ON"},
        folder_, log, account);
    url_ = fmt::format("mysql://sandbox@127.0.0.1:{}/sandbox", port);
    await(log, start_patience, [&] { return answers_mysql(socket); });
}

}  // namespace isotap::proxy
