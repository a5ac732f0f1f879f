#include <memory>
#include <regex>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "proxy/commands/command.hpp"
#include "proxy/commands/scenario_files.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

struct ListLine {
    std::string pattern;
    std::vector<std::string> folders;
};

std::unique_ptr<CLI::App> make_app(ListLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Lists the scenarios that the program knows, or those of a folder.", "isotap list");
    app->add_option("REGEX", line.pattern, "Only those whose name has a match in it");
    app->add_option("--folder", line.folders, "Files of this folder, not those inside")
        ->type_name("DIR");
    return app;
}

}  // namespace

int run_list(const std::vector<std::string>& arguments) {
    ListLine line;
    make_app(line)->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    std::regex pattern;
    try {
        pattern = std::regex(line.pattern, std::regex::icase);
    } catch (const std::regex_error&) {
        refuse(fmt::format("'{}' is no regular expression: try a part of a name", line.pattern));
    }
    bool found = false;
    for (const ScenarioFile& file : read_scenario_files(line.folders)) {
        if (!std::regex_search(file.scenario.name, pattern)) continue;
        found = true;
        fmt::print("{:<32} {}\n", file.scenario.name,
                   file.scenario.description.empty() ? file.path : file.scenario.description);
    }
    if (!found) {
        refuse(fmt::format("no scenario has '{}' in its name: 'isotap list' shows those inside",
                           line.pattern));
    }
    return 0;
}

std::string help_for_list() {
    ListLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
