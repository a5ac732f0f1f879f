#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isotap::proxy {

/// A sub-command: `isotap NAME arguments…`. The table of them stands in main.cpp.
struct Command {
    std::string_view name;
    std::string_view summary;  ///< one line of `isotap help`

    /// Gives the exit code. What ends it early is thrown: StartupError, or what CLI11 throws for
    /// arguments that it cannot read; `main` turns both into a message and a code.
    int (*run)(const std::vector<std::string>& arguments);

    /// What `isotap help NAME` prints.
    std::string (*help)();
};

int run_check(const std::vector<std::string>& arguments);
std::string help_for_check();

int run_exec(const std::vector<std::string>& arguments);
std::string help_for_exec();

int run_export(const std::vector<std::string>& arguments);
std::string help_for_export();

int run_list(const std::vector<std::string>& arguments);
std::string help_for_list();

int run_proxy(const std::vector<std::string>& arguments);
std::string help_for_proxy();

int run_report(const std::vector<std::string>& arguments);
std::string help_for_report();

int run_show(const std::vector<std::string>& arguments);
std::string help_for_show();

int run_run(const std::vector<std::string>& arguments);
std::string help_for_run();

int run_sandbox(const std::vector<std::string>& arguments);
std::string help_for_sandbox();

int run_schema(const std::vector<std::string>& arguments);
std::string help_for_schema();

int run_version(const std::vector<std::string>& arguments);
std::string help_for_version();

/// `help` is not in the table: it shows it.
int run_help(std::span<const Command> commands, const std::vector<std::string>& arguments);

}  // namespace isotap::proxy
