#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/workload/comparison.hpp"

namespace isotap::workload {

/// One scenario at one level, with what it means. The scenario outlives it.
struct RunResult {
    const Scenario* scenario = nullptr;
    std::string file;
    std::size_t order = 0;  ///< index among the scenario's orders
    Run run;
    Fate fate = Fate::prevented;
    std::vector<Difference> differences;
};

/// Compares and judges.
RunResult judge(const Scenario& scenario, std::string file, std::size_t order, Run run);

/// True when something has to be looked at: a difference to what was expected; or, where nothing
/// was expected, a violation that was found.
bool needs_attention(const RunResult& result);

/// A line for each scenario, a column for each level, and all differences with their schedules;
/// with `schedules`, those of every run.
std::string text_matrix(std::span<const RunResult> results, bool schedules);

std::string json_runs(const ServerPattern& server, std::span<const RunResult> results);
std::string html_runs(const ServerPattern& server, std::span<const RunResult> results);
std::string junit_runs(const ServerPattern& server, std::span<const RunResult> results);

}  // namespace isotap::workload
