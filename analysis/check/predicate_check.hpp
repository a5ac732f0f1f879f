#pragma once

#include "isotap/analysis/level.hpp"

#include "analysis/history/formats.hpp"
#include "analysis/report/findings.hpp"

namespace isotap::analysis {

/// Checks a history with predicates against each of the models and adds what it finds.
void check_predicates(const history::ReadHistory& read, ModelSet models, Findings& findings);

}  // namespace isotap::analysis
