#include "tests/support/mysql_server.hpp"

#include <cstdio>
#include <fcntl.h>
#include <map>
#include <stdexcept>
#include <sys/file.h>
#include <utility>

#include "tests/support/descriptor.hpp"
#include "tests/support/free_port.hpp"
#include "tests/support/paths.hpp"

namespace isotap::test {
namespace fs = std::filesystem;
namespace {

constexpr int attempts_max = 5;

/// The folder that stands for the root of the file system of Oracle's server; empty when this
/// machine cannot have it.
const fs::path& mysql_folder() {
    static const fs::path folder = [] {
        const Finished asked =
            run({.arguments = {"python3", source_folder() / "tests/support/mysql_folder.py",
                               cache_folder()}},
                std::chrono::minutes(10));
        if (asked.exit_code != 0) {
            std::fprintf(stderr, "SKIPPED: MySQL: %s\n", asked.output.c_str());
            return fs::path();
        }
        return fs::path(asked.output.substr(0, asked.output.find('\n')));
    }();
    return folder;
}

/// The server's program with the arguments that any use of it needs. Oracle's runs with the dynamic
/// linker and the libraries of its own folder: no chroot, so no root, and it sees our files.
std::vector<std::string> server_program(MysqlFlavour flavour) {
    if (flavour == MysqlFlavour::mariadb) {
        return {"/usr/sbin/mariadbd", "--no-defaults"};
    }
    const fs::path& root = mysql_folder();
    const std::string libraries = root / "usr/lib/x86_64-linux-gnu";
    return {root / "lib64/ld-linux-x86-64.so.2",
            "--library-path",
            libraries,
            root / "usr/sbin/mysqld",
            "--no-defaults",
            "--basedir=" + (root / "usr").string(),
            "--lc-messages-dir=" + (root / "usr/share/mysql").string(),
            "--secure-file-priv=NULL",
            "--mysqlx=OFF"};
}

std::vector<std::string> initialize_command(MysqlFlavour flavour, const fs::path& data) {
    if (flavour == MysqlFlavour::mariadb) {
        return {"mariadb-install-db", "--no-defaults", "--datadir=" + data.string(),
                "--auth-root-authentication-method=normal", "--skip-test-db"};
    }
    std::vector<std::string> line = server_program(flavour);
    line.insert(line.end(), {"--initialize-insecure", "--datadir=" + data.string()});
    return line;
}

/// A freshly initialised data folder, made once per version and machine: initialising takes
/// seconds, copying its result does not.
fs::path data_template(MysqlFlavour flavour, const std::optional<User>& user) {
    std::vector<std::string> ask = server_program(flavour);
    ask.emplace_back("--version");
    const std::string version = run_or_throw({.arguments = ask});
    const std::string flavour_name = flavour == MysqlFlavour::mariadb ? "mariadb " : "mysql ";
    const std::size_t from = version.find("Ver ") + 4;
    const std::string name = flavour_name + version.substr(from, version.find(' ', from) - from);
    const fs::path kept = cache_folder() / ("data " + name);
    const Descriptor lock(
        open((kept.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    flock(lock.get(), LOCK_EX);
    if (!fs::exists(kept)) {
        const TemporaryFolder scratch(user);
        const fs::path made = scratch.path() / "data";
        fs::create_directory(made);
        if (user) give_to(*user, made);
        run_or_throw({.arguments = initialize_command(flavour, made),
                      .run_as = user,
                      .folder = scratch.path()});
        const fs::path copy = kept.string() + ".part";
        fs::remove_all(copy);
        run_or_throw({.arguments = {"cp", "-a", made, copy}});
        fs::rename(copy, kept);
    }
    return kept;
}

}  // namespace

bool mysql_available(MysqlFlavour flavour) {
    return flavour == MysqlFlavour::mariadb || !mysql_folder().empty();
}

MysqlServer::MysqlServer(MysqlOptions options) : options_(std::move(options)) {
    if (!mysql_available(options_.flavour)) {
        throw std::runtime_error("this machine cannot have that server");
    }
    prepare_folder();
    for (int attempt = 1;; ++attempt) {
        port_ = free_port();
        try {
            start();
            break;
        } catch (const std::runtime_error& error) {
            const std::string_view reason = error.what();
            const bool taken = reason.find("ddress already in use") != std::string_view::npos;
            if (!taken || attempt == attempts_max) throw;
        }
    }
    sql("CREATE DATABASE shop; CREATE USER tap@'%';"
        "GRANT ALL ON *.* TO tap@'%' WITH GRANT OPTION");
}

void MysqlServer::prepare_folder() {
    run_or_throw(
        {.arguments = {"cp", "-a", data_template(options_.flavour, user_), folder() / "data"}});
    if (options_.tls) {
        authority_.emplace(folder() / "tls");
        certificate_ = authority_->issue("localhost", user_);
    }
    if (user_) give_to(*user_, folder());
}

std::vector<std::string> MysqlServer::command_line() const {
    std::vector<std::string> line = server_program(options_.flavour);
    const std::string here = folder().string();
    for (const std::string& setting :
         {"datadir=" + here + "/data", "socket=" + here + "/server.sock",
          "port=" + std::to_string(port_), std::string("bind-address=127.0.0.1"),
          "pid-file=" + here + "/server.pid", std::string("innodb-flush-log-at-trx-commit=2"),
          std::string("innodb-buffer-pool-size=32M"), std::string("skip-log-bin"),
          std::string("performance-schema=OFF"), std::string("local-infile=1"),
          std::string("max-allowed-packet=256M"), std::string("default-time-zone=+00:00")}) {
        line.push_back("--" + setting);
    }
    if (options_.tls) {
        line.push_back("--ssl-ca=" + authority_->root().string());
        line.push_back("--ssl-cert=" + certificate_.certificate.string());
        line.push_back("--ssl-key=" + certificate_.key.string());
    } else {
        line.emplace_back(options_.flavour == MysqlFlavour::mariadb ? "--skip-ssl"
                                                                    : "--tls-version=");
    }
    for (const std::string& setting : options_.settings) {
        line.push_back("--" + setting);
    }
    return line;
}

void MysqlServer::start() {
    server_ = std::make_unique<Process>(Command{.arguments = command_line(),
                                                .environment = {{"LC_ALL", "C"}},
                                                .run_as = user_,
                                                .folder = folder(),
                                                .end_signal = SIGKILL});
    server_->wait_for_line("ready for connections", std::chrono::seconds(60));
}

void MysqlServer::kill() {
    server_->signal(SIGKILL);
    server_->wait();
}

std::string MysqlServer::url() const {
    return "mysql://tap@127.0.0.1:" + std::to_string(port_) + "/shop";
}

std::string MysqlServer::sql(const std::string& text) const {
    return run_or_throw(
        {.arguments = {"mariadb", "--no-defaults", "--batch", "--skip-column-names", "--user=root",
                       "--socket=" + (folder() / "server.sock").string()},
         .input = text});
}

}  // namespace isotap::test
