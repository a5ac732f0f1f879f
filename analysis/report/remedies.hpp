#pragma once

#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// What would have prevented it, cheapest first: ways of which one is enough, each a sentence or
/// two that names the statement to change, or the level to ask for. Goes by the pattern and by the
/// engine, where its contract is known. Never empty. For people; the wording may change.
std::vector<std::string> remedies(const Anomaly& anomaly, const Names& names);

/// The same as one text.
std::string advice(const Anomaly& anomaly, const Names& names);

}  // namespace isotap::analysis
