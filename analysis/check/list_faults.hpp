#pragma once

#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/history/list_order.hpp"

namespace isotap::analysis {

/// What shows in whole lists and not in the versions that events tell: an element that stands
/// twice, a list that has what its reader appends only later, and updates that were lost although
/// no list shows them. At most `limit` of each.
std::vector<Anomaly> list_faults(const history::History& history, const history::ListOrder& order,
                                 std::size_t limit = 16);

}  // namespace isotap::analysis
