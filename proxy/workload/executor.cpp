#include "proxy/workload/executor.hpp"

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "proxy/workload/play.hpp"

namespace isotap::proxy {
namespace {

using workload::Answer;
using workload::Scenario;

void set_up(const std::vector<std::string>& texts, const Scenario& scenario, Client& client) {
    for (const std::string& sql : texts) {
        const Answer answer = client.execute(sql);
        if (answer.failed) {
            throw StartupError(
                StartupError::Kind::usage,
                fmt::format("{}: the set-up fails with '{}': correct it, or name the "
                            "engines that it is for",
                            scenario.name, answer.message));
        }
    }
}

void read_tables(const Scenario& scenario, Client& client, workload::Run& run) {
    for (const auto* claims : {&scenario.expected, &scenario.symptoms}) {
        for (const workload::Claim& claim : *claims) {
            if (claim.kind != workload::ClaimKind::table || run.tables.contains(claim.word)) {
                continue;
            }
            Answer answer = client.execute("SELECT * FROM " + claim.word);
            if (!answer.failed) run.tables[claim.word] = std::move(answer.rows);
        }
    }
}

}  // namespace

workload::Run run_order(const Scenario& scenario, const std::vector<workload::Turn>& order,
                        std::optional<history::IsolationLevel> level, Server& server, Watch& watch,
                        const ExecutorOptions& options) {
    workload::Run run;
    run.setting = {server.what(), level};
    server.renew_scratch();
    const auto outside = server.connect(server.target());
    set_up(scenario.setup, scenario, *outside);
    watch.begin(server);
    {
        Play play(scenario, order, server, watch, options, run);
        play.open(level);
        play.go();
        play.close();
    }
    read_tables(scenario, *server.connect(watch.address()), run);
    run.sighting = watch.end();
    set_up(scenario.teardown, scenario, *outside);
    return run;
}

}  // namespace isotap::proxy
