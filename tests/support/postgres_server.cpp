#include "tests/support/postgres_server.hpp"

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

/// A freshly initialised data folder, made once per version and machine: initdb takes seconds,
/// copying its result does not.
fs::path data_template(const fs::path& programs, const std::optional<User>& user) {
    const std::string name = run_or_throw({.arguments = {programs / "postgres", "--version"}});
    fs::path kept = cache_folder() / ("initdb " + name.substr(0, name.find('\n')));
    const Descriptor lock(
        open((kept.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
    flock(lock.get(), LOCK_EX);
    if (!fs::exists(kept)) {
        const TemporaryFolder scratch(user);
        const fs::path made = scratch.path() / "data";
        run_or_throw({.arguments = {programs / "initdb", "-D", made, "-U", "postgres", "-E", "UTF8",
                                    "--locale=C", "--auth=trust", "--no-sync"},
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

std::optional<fs::path> postgres_programs(int major) {
    static std::map<int, std::optional<fs::path>> known;
    const auto found = known.find(major);
    if (found != known.end()) {
        return found->second;
    }
    const Finished asked =
        run({.arguments = {"python3", source_folder() / "tests/support/postgres_versions.py",
                           std::to_string(major), cache_folder()}},
            std::chrono::minutes(3));
    std::optional<fs::path> programs;
    if (asked.exit_code == 0) {
        programs = asked.output.substr(0, asked.output.find('\n'));
    } else {
        std::fprintf(stderr, "SKIPPED: PostgreSQL %d: %s\n", major, asked.output.c_str());
    }
    return known[major] = programs;
}

PostgresServer::PostgresServer(PostgresOptions options) : options_(std::move(options)) {
    const std::optional<fs::path> programs = postgres_programs(options_.version);
    if (!programs) {
        throw std::runtime_error("no PostgreSQL " + std::to_string(options_.version));
    }
    programs_ = *programs;
    prepare_folder();
    for (int attempt = 1;; ++attempt) {
        port_ = options_.port == 0 ? free_port() : options_.port;
        try {
            start();
            return;
        } catch (const std::runtime_error& error) {
            const std::string_view reason = error.what();
            const bool taken = reason.find("could not bind") != std::string_view::npos;
            if (!taken || attempt == attempts_max) throw;
        }
    }
}

void PostgresServer::prepare_folder() {
    run_or_throw({.arguments = {"cp", "-a", data_template(programs_, user_), folder() / "data"}});
    if (options_.tls) {
        authority_.emplace(folder() / "tls");
        certificate_ = authority_->issue("localhost", user_);
    }
    write_file(folder() / "hba.conf", options_.hba);
    if (user_) give_to(*user_, folder());
}

std::vector<std::string> PostgresServer::command_line() const {
    std::vector<std::string> line{programs_ / "postgres",
                                  "-D",
                                  folder() / "data",
                                  "-p",
                                  std::to_string(port_),
                                  "-k",
                                  folder(),
                                  "-h",
                                  "127.0.0.1",
                                  "-F",
                                  "-c",
                                  "hba_file=" + (folder() / "hba.conf").string(),
                                  "-c",
                                  "max_wal_senders=4",
                                  "-c",
                                  "wal_level=logical",
                                  "-c",
                                  "max_prepared_transactions=4",
                                  "-c",
                                  "timezone=UTC"};
    if (options_.tls) {
        for (const std::string& setting :
             {std::string("ssl=on"), "ssl_cert_file=" + certificate_.certificate.string(),
              "ssl_key_file=" + certificate_.key.string(),
              "ssl_ca_file=" + authority_->root().string()}) {
            line.insert(line.end(), {"-c", setting});
        }
    }
    for (const std::string& setting : options_.settings) {
        line.insert(line.end(), {"-c", setting});
    }
    return line;
}

void PostgresServer::start() {
    server_ = std::make_unique<Process>(Command{.arguments = command_line(),
                                                .environment = {{"LC_ALL", "C"}},
                                                .run_as = user_,
                                                .folder = folder(),
                                                .end_signal = SIGQUIT});
    server_->wait_for_line("database system is ready to accept connections");
}

void PostgresServer::stop(bool immediate) {
    server_->signal(immediate ? SIGQUIT : SIGINT);
    server_->wait();
}

std::string PostgresServer::url(const std::string& user, const std::string& database) const {
    std::string text = "postgres://" + user;
    return text.append("@127.0.0.1:").append(std::to_string(port_)).append("/").append(database);
}

std::string PostgresServer::sql(const std::string& text) {
    return run_or_throw(
        {.arguments = {"psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder(),
                       "-p", std::to_string(port_), "-U", "postgres", "-d", "postgres"},
         .input = text});
}

}  // namespace isotap::test
