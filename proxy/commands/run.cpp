#include <cstdlib>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/workload/isolation_tester_text.hpp"
#include "analysis/workload/run_report.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/commands/output_file.hpp"
#include "proxy/commands/scenario_files.hpp"
#include "proxy/ops/refuse.hpp"
#include "proxy/ops/upstream_url.hpp"
#include "proxy/workload/executor.hpp"
#include "proxy/workload/tap_watch.hpp"

namespace isotap::proxy {
namespace {

using Level = std::optional<history::IsolationLevel>;
using workload::RunResult;

struct RunLine {
    std::vector<std::string> files;
    std::string target;
    std::vector<std::string> levels{"all"};
    bool direct = false;
    std::string versions = "auto";
    bool json = false;
    bool schedules = false;
    bool isolation_tester = false;
    std::string html_file;
    std::string junit_file;
    unsigned repeat = 1;
    unsigned patience_ms = 10'000;
};

std::unique_ptr<CLI::App> make_app(RunLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Runs scenarios on a server, statement by statement, at each isolation level, through an "
        "isotap of their own, and says what happened and which anomalies that were.",
        "isotap run");
    app->add_option("SCENARIO", line.files,
                    "Files, folders, or names that 'isotap list' shows; all of those if not given");
    app->add_option("--target", line.target, "URL of the server")->type_name("URL")->required();
    app->add_option("--levels", line.levels, "Isolation levels, with a comma between; or all")
        ->type_name("LEVELS")
        ->delimiter(',');
    app->add_flag("--direct", line.direct,
                  "Connect to the server itself and look for no anomalies");
    app->add_option("--versions", line.versions,
                    "How rows are named: by columns, by the system, or auto")
        ->check(CLI::IsMember({"auto", "columns", "system"}))
        ->type_name("SOURCE");
    app->add_flag("--json", line.json, "One JSON document");
    app->add_flag("--schedules", line.schedules, "Show what every statement did");
    app->add_flag("--isolation-tester", line.isolation_tester,
                  "Write what PostgreSQL's isolation tester would (for .spec files)");
    app->add_option("--html", line.html_file, "Write a page")->type_name("FILE");
    app->add_option("--junit", line.junit_file, "Write a JUnit report")->type_name("FILE");
    app->add_option("--repeat", line.repeat, "Run each so many times; they must be the same")
        ->type_name("TIMES")
        ->check(CLI::Range(1U, 1'000'000U));
    app->add_option("--patience-ms", line.patience_ms,
                    "When a statement counts as waiting although the server does not say so")
        ->type_name("MS");
    return app;
}

/// The levels of the engine that were asked for.
std::vector<Level> asked_levels(const RunLine& line, const Server& server) {
    std::vector<Level> levels;
    if (line.levels == std::vector<std::string>{"all"}) {
        for (const history::IsolationLevel level : server.levels()) levels.emplace_back(level);
        return levels;
    }
    for (const std::string& name : line.levels) {
        const Level level = workload::level_from(name);
        if (!level) {
            refuse(fmt::format("there is no level '{}': write 'read committed' for example", name));
        }
        levels.push_back(level);
    }
    return levels;
}

/// One run that stands for all its repetitions: they must not differ.
RunResult run_repeatedly(const ScenarioFile& file, std::size_t order, Level level,
                         const RunLine& line, Server& server, Watch& watch) {
    const workload::Scenario& scenario = file.scenario;
    const ExecutorOptions options{std::chrono::milliseconds(line.patience_ms)};
    const auto once = [&] {
        return run_order(scenario, scenario.orders[order], level, server, watch, options);
    };
    RunResult result = judge(scenario, file.path, order, once());
    const auto told = [&](const workload::Run& run) {
        return schedule_text(scenario, scenario.orders[order], run) + sighting_text(run.sighting);
    };
    const std::string first = told(result.run);
    for (unsigned i = 1; i < line.repeat; ++i) {
        const std::string again = told(once());
        if (again != first) {
            result.differences.push_back(
                {{}, fmt::format("run {} was not like the first:\n{}", i + 1, again)});
            break;
        }
    }
    return result;
}

std::vector<RunResult> run_all(const std::vector<ScenarioFile>& files, const RunLine& line,
                               Server& server, Watch& watch) {
    std::vector<RunResult> results;
    const std::vector<Level> levels = asked_levels(line, server);
    for (const ScenarioFile& file : files) {
        const std::vector<Level> own =
            file.scenario.specification ? std::vector<Level>{Level()} : levels;
        for (const Level level : own) {
            if (!file.scenario.where.holds({server.what(), level})) continue;
            for (std::size_t order = 0; order < file.scenario.orders.size(); ++order) {
                results.push_back(run_repeatedly(file, order, level, line, server, watch));
            }
        }
    }
    return results;
}

/// The outputs of a specification, one behind the other, as its expected file has them.
std::string isolation_tester_output(std::span<const RunResult> results) {
    std::string text;
    for (const RunResult& result : results) {
        if (result.order == 0) text += isolation_tester_heading(*result.scenario);
        text += isolation_tester_text(*result.scenario, result.scenario->orders[result.order],
                                      result.run);
    }
    return text;
}

std::unique_ptr<Watch> watch_for(const RunLine& line, const Server& server) {
    if (line.direct) return std::make_unique<NoWatch>(server.target());
    const Versions versions = line.versions == "columns"  ? Versions::columns
                              : line.versions == "system" ? Versions::system
                                                          : Versions::automatic;
    return std::make_unique<TapWatch>(server.target(), server.what().engine, versions);
}

Upstream target_of(const RunLine& line) {
    Upstream target = parse_upstream_url(line.target);
    if (const char* password = std::getenv("ISOTAP_UPSTREAM_PASSWORD")) target.password = password;
    return target;
}

}  // namespace

int run_run(const std::vector<std::string>& arguments) {
    RunLine line;
    make_app(line)->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    const Upstream target = target_of(line);
    const std::vector<ScenarioFile> files = read_scenario_files(line.files);
    const auto server = Server::open(target);
    const auto watch = watch_for(line, *server);
    const std::vector<RunResult> results = run_all(files, line, *server, *watch);
    if (results.empty()) {
        refuse(fmt::format("no scenario is meant for {} at these levels: choose others",
                           server->what().engine));
    }
    if (line.isolation_tester) {
        std::cout << isolation_tester_output(results);
    } else if (line.json) {
        std::cout << json_runs(server->what(), results) << "\n";
    } else {
        std::cout << text_matrix(results, line.schedules || files.size() == 1);
    }
    write_file(line.html_file, html_runs(server->what(), results));
    write_file(line.junit_file, junit_runs(server->what(), results));
    const bool attention = std::any_of(results.begin(), results.end(), workload::needs_attention);
    const bool unlike =
        line.repeat > 1 && std::any_of(results.begin(), results.end(), [](const RunResult& result) {
            return !result.differences.empty();
        });
    return attention || unlike ? 1 : 0;
}

std::string help_for_run() {
    RunLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
