#pragma once

#include <span>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/workload/run.hpp"
#include "proxy/workload/condition_witness.hpp"
#include "proxy/workload/run_digest.hpp"

namespace isotap::proxy {

/// Writes that passed over a row which an open transaction had just made meet their condition,
/// where that one then committed first: the order of the commits would have left other rows behind
/// (ADR 0011). A hazard below SERIALIZABLE, where both levels are known. Nothing of two
/// transactions that an anomaly already names together.
std::vector<workload::FoundAnomaly> passed_over(const RunDigest& digest,
                                                const ConditionWitness& witness,
                                                history::Dialect dialect,
                                                std::span<const analysis::Anomaly> found);

}  // namespace isotap::proxy
