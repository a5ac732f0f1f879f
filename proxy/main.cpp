#include <array>
#include <cstdio>
#include <exception>

#include <CLI/Error.hpp>
#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "proxy/commands/command.hpp"

namespace isotap::proxy {
namespace {

constexpr int failed = 3;

constexpr std::array commands{
    Command{"proxy", "stand between clients and a database", run_proxy, help_for_proxy},
    Command{"exec", "run a program behind a proxy of its own, and report", run_exec, help_for_exec},
    Command{"check", "say which isolation levels a history satisfies", run_check, help_for_check},
    Command{"export", "write a history for another checker", run_export, help_for_export},
    Command{"report", "write a page about a recording", run_report, help_for_report},
    Command{"schema", "add or drop the columns that name rows and versions", run_schema,
            help_for_schema},
    Command{"show", "what a recording knows about one thing", run_show, help_for_show},
    Command{"run", "run scenarios at every isolation level", run_run, help_for_run},
    Command{"list", "show the scenarios that are inside", run_list, help_for_list},
    Command{"sandbox", "start a throw-away database server", run_sandbox, help_for_sandbox},
    Command{"version", "what this program is made of", run_version, help_for_version},
};

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) {
        throw StartupError(StartupError::Kind::usage,
                           "no command is given: 'isotap help' lists them");
    }
    const std::string& name = words.front();
    const std::vector<std::string> arguments(words.begin() + 1, words.end());
    if (name == "help" || name == "--help" || name == "-h") {
        return run_help(commands, arguments);
    }
    if (name == "--version") {
        return run_version(arguments);
    }
    for (const Command& command : commands) {
        if (command.name == name) {
            try {
                return command.run(arguments);
            } catch (const CLI::CallForHelp&) {
                return run_help(commands, {name});
            } catch (const CLI::ParseError& error) {
                throw StartupError(StartupError::Kind::usage,
                                   fmt::format("{}: see 'isotap help {}'", error.what(), name));
            }
        }
    }
    throw StartupError(StartupError::Kind::usage,
                       fmt::format("there is no command '{}': 'isotap help' lists them", name));
}

int run(const std::vector<std::string>& words) {
    try {
        return dispatch(words);
    } catch (const StartupError& error) {
        fmt::print(stderr, "isotap: {}\n", error.what());
        return error.exit_code();
    } catch (const std::exception& error) {
        fmt::print(stderr, "isotap: {}: this should not happen, please report it\n", error.what());
        return failed;
    }
}

}  // namespace
}  // namespace isotap::proxy

int main(int argc, char** argv) {
    return isotap::proxy::run({argv + 1, argv + argc});
}
