#include "tests/support/mysql_server.hpp"

#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/file.h>
#include <utility>

#include "tests/support/debian_folder.hpp"
#include "tests/support/descriptor.hpp"
#include "tests/support/free_port.hpp"

namespace isotap::test {
namespace fs = std::filesystem;
namespace {

constexpr int attempts_max = 5;

/// The root of the file system that a server comes from, which is not always ours; empty when this
/// machine cannot have it.
const fs::path& root_of(MysqlFlavour flavour) {
    static const fs::path ours = "/";
    static const fs::path mysql = debian_folder("mysql", {"mysql-server-core"});
    if (flavour != MysqlFlavour::mariadb_11) {
        return flavour == MysqlFlavour::mariadb ? ours : mysql;
    }
    static const fs::path mariadb = debian_folder(
        "mariadb",
        {"mariadb-server-core", "mariadb-client-core", "mariadb-server:usr/lib/mysql/plugin"});
    return mariadb;
}

/// The server's program with the arguments that any use of it needs.
std::vector<std::string> server_program(MysqlFlavour flavour) {
    if (flavour == MysqlFlavour::mariadb) {
        return {"/usr/sbin/mariadbd", "--no-defaults"};
    }
    const fs::path& root = root_of(flavour);
    const bool mysql = flavour == MysqlFlavour::mysql;
    std::vector<std::string> line =
        program_of(root, mysql ? "usr/sbin/mysqld" : "usr/sbin/mariadbd");
    line.insert(line.end(), {"--no-defaults", "--basedir=" + (root / "usr").string(),
                             "--lc-messages-dir=" +
                                 (root / "usr/share" / (mysql ? "mysql" : "mariadb")).string(),
                             "--plugin-dir=" + (root / "usr/lib/mysql/plugin").string()});
    if (mysql) line.insert(line.end(), {"--secure-file-priv=NULL", "--mysqlx=OFF"});
    return line;
}

/// What MariaDB's own installation script feeds to the server; the script itself finds its server
/// only where the package has put it.
std::string mariadb_system_tables(const fs::path& root) {
    std::string text =
        "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n"
        "SET @skip_auth_anonymous_user=1;\n";
    for (const char* part :
         {"mariadb_system_tables", "mariadb_performance_tables", "mariadb_system_tables_data",
          "maria_add_gis_sp_bootstrap", "mariadb_sys_schema"}) {
        std::ifstream file(root / "usr/share/mariadb" / (std::string(part) + ".sql"));
        text.append(std::istreambuf_iterator<char>(file), {});
    }
    return text;
}

/// A server of the family that starts removes the temporary tables of others from a folder that
/// they share, and those crash.
std::string temporary_tables_in(const fs::path& folder) {
    return "tmpdir=" + folder.string();
}

Command initialize_command(MysqlFlavour flavour, const fs::path& data) {
    const std::string temporary = "--" + temporary_tables_in(data.parent_path());
    if (flavour == MysqlFlavour::mariadb) {
        return {.arguments = {"mariadb-install-db", "--no-defaults", "--datadir=" + data.string(),
                              temporary, "--auth-root-authentication-method=normal",
                              "--skip-test-db"}};
    }
    Command command{.arguments = server_program(flavour)};
    command.arguments.push_back("--datadir=" + data.string());
    command.arguments.push_back(temporary);
    if (flavour == MysqlFlavour::mysql) {
        command.arguments.emplace_back("--initialize-insecure");
    } else {
        command.arguments.emplace_back("--bootstrap");
        command.input = mariadb_system_tables(root_of(flavour));
    }
    return command;
}

/// A freshly initialised data folder, made once per version and machine: initialising takes
/// seconds, copying its result does not.
fs::path data_template(MysqlFlavour flavour, const std::optional<User>& user) {
    std::vector<std::string> ask = server_program(flavour);
    ask.emplace_back("--version");
    const std::string version = run_or_throw({.arguments = ask});
    const std::string flavour_name = flavour == MysqlFlavour::mysql ? "mysql " : "mariadb ";
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
        Command initialize = initialize_command(flavour, made);
        initialize.run_as = user;
        initialize.folder = scratch.path();
        run_or_throw(initialize);
        const fs::path copy = kept.string() + ".part";
        fs::remove_all(copy);
        run_or_throw({.arguments = {"cp", "-a", made, copy}});
        fs::rename(copy, kept);
    }
    return kept;
}

}  // namespace

bool mysql_available(MysqlFlavour flavour) {
    return !root_of(flavour).empty();
}

MysqlServer::MysqlServer(MysqlOptions options) : options_(std::move(options)) {
    if (!mysql_available(options_.flavour)) {
        throw std::runtime_error("this machine cannot have that server");
    }
    prepare_folder();
    for (int attempt = 1;; ++attempt) {
        port_ = options_.port == 0 ? free_port() : options_.port;
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
         {"datadir=" + here + "/data", temporary_tables_in(folder()),
          "socket=" + here + "/server.sock", "port=" + std::to_string(port_),
          std::string("bind-address=127.0.0.1"), "pid-file=" + here + "/server.pid",
          std::string("innodb-flush-log-at-trx-commit=2"),
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
        line.emplace_back(options_.flavour == MysqlFlavour::mysql ? "--tls-version="
                                                                  : "--skip-ssl");
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
