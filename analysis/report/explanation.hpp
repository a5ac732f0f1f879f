#pragma once

#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/report/names.hpp"

/// Anomalies in words that a programmer understands. Each sentence can be checked by hand against
/// the statements that it names.
namespace isotap::analysis {

/// "G-single (read skew)"; the name alone where programmers have no other.
std::string title_of(const Anomaly& anomaly);

/// One sentence an edge: "T1 < T2, because T2 read row 17 of account as T1 left it."
std::vector<std::string> explain(const Anomaly& anomaly, const Names& names);

/// The reason alone: "T2 read row 17 of account as T1 left it".
std::string reason_of(const CycleEdge& edge, const Names& names);

}  // namespace isotap::analysis
