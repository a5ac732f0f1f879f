#include "proxy/workload/sandbox.hpp"

#include <csignal>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "proxy/commands/command.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

std::unique_ptr<CLI::App> make_app(std::string& kind) {
    auto app = std::make_unique<CLI::App>(
        "Starts a throw-away server in a temporary folder, from the programs that are installed or "
        "else from an image by podman or docker, and prints its URL. Ctrl-C ends it and removes "
        "everything.",
        "isotap sandbox");
    app->add_option("ENGINE", kind, "postgres, mariadb or mysql")->required();
    return app;
}

SandboxKind kind_of(const std::string& name) {
    if (name == "postgres") return SandboxKind::postgres;
    if (name == "mariadb") return SandboxKind::mariadb;
    if (name == "mysql") return SandboxKind::mysql;
    refuse(fmt::format("there is no sandbox '{}': choose postgres, mariadb or mysql", name));
}

}  // namespace

int run_sandbox(const std::vector<std::string>& arguments) {
    std::string kind;
    make_app(kind)->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&ends, signal);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    Sandbox sandbox(kind_of(kind));
    fmt::print("isotap: sandbox at {}\n", sandbox.url());
    std::fflush(stdout);
    for (;;) {
        int signal = 0;
        sigwait(&ends, &signal);
        if (signal != SIGCHLD) return 0;
        if (!sandbox.running()) {
            throw StartupError(StartupError::Kind::failure,
                               "the server has ended by itself: start it again");
        }
    }
}

std::string help_for_sandbox() {
    std::string kind;
    return make_app(kind)->help();
}

}  // namespace isotap::proxy
