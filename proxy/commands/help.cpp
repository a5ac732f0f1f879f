#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "isotap/proxy/version.hpp"

#include "proxy/commands/command.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {

int run_help(std::span<const Command> commands, const std::vector<std::string>& arguments) {
    if (arguments.size() > 1) {
        refuse("help takes one command at most: try 'isotap help proxy'");
    }
    if (arguments.empty()) {
        fmt::print("isotap {}: an isolation tap for SQL databases\n\n", version());
        for (const Command& command : commands) {
            fmt::print("  isotap {:<10} {}\n", command.name, command.summary);
        }
        fmt::print("  isotap {:<10} {}\n\n{}\n", "help", "what a command takes",
                   "Exit codes: 0 nothing found, 1 anomalies found, 2 wrong usage or input, or an "
                   "unknown verdict,\n3 the proxy or server failed.");
        return 0;
    }
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
        return command.name == arguments.front();
    });
    if (found == commands.end()) {
        refuse(
            fmt::format("there is no command '{}': 'isotap help' lists them", arguments.front()));
    }
    fmt::print("{}", found->help());
    return 0;
}

}  // namespace isotap::proxy
