#pragma once

#include <string>

#include "isotap/analysis/level.hpp"

#include "analysis/history/formats.hpp"
#include "analysis/report/findings.hpp"

namespace isotap::analysis {

struct CheckOptions {
    /// What must hold. Empty: serializable; for registers also each of the weaker levels in turn,
    /// so that the report says where it begins to fail.
    ModelSet asked;
    /// Also give an order in which the transactions might have run, if there is one.
    bool witness = false;
};

/// Checks a history that was read from a file: lists with the engine, registers with the checkers
/// for an unknown order of writes. The result does not refer to the history.
Findings check_history(const history::ReadHistory& read, const std::string& source,
                       const CheckOptions& options = {});

}  // namespace isotap::analysis
