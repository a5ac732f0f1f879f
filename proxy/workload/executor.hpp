#pragma once

#include <chrono>

#include "analysis/workload/run.hpp"
#include "proxy/workload/server.hpp"
#include "proxy/workload/watch.hpp"

namespace isotap::proxy {

struct ExecutorOptions {
    /// How long a statement may take of which the server does not say that it waits; then it counts
    /// as waiting for somebody unknown.
    std::chrono::milliseconds patience{10'000};
};

/// Runs one order of a scenario in an empty scratch schema, over real connections. The same order
/// on the same server gives the same schedule: nothing is submitted, and nothing is recorded,
/// before every statement under way has been answered or is known to wait for a session that is
/// idle; what is answered together is recorded in the order in which it was submitted.
///
/// Throws StartupError when a connection is lost or the set-up fails. One thread; server and watch
/// outlive the call.
workload::Run run_order(const workload::Scenario& scenario,
                        const std::vector<workload::Turn>& order,
                        std::optional<history::IsolationLevel> level, Server& server, Watch& watch,
                        const ExecutorOptions& options = {});

}  // namespace isotap::proxy
