#pragma once

#include <string>
#include <vector>

#include "analysis/workload/run.hpp"

namespace isotap::workload {

struct Difference {
    Place place;
    std::string text;  ///< what was expected, and what happened
};

/// How a run stands to what was written about it. Of several claims of one kind about one thing
/// the first whose condition holds counts. When anything is expected at all, waits and errors that
/// nobody expected are differences; so are anomalies, where somebody watched.
std::vector<Difference> differences(const Scenario& scenario, const std::vector<Turn>& order,
                                    const Run& run);

/// What became of the phenomenon: it happens when all `happens if` lines that apply hold. Without
/// any such line nothing is known to happen.
Fate fate_of(const Scenario& scenario, const std::vector<Turn>& order, const Run& run);

}  // namespace isotap::workload
