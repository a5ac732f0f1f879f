#pragma once

#include <string>

#include "isotap/analysis/contract.hpp"
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
    /// What the engine promises at the level of each transaction; null: nothing. For recordings:
    /// other histories do not say at which level their transactions ran.
    const Contract* contract = nullptr;
};

/// Whether some of these models speak about the time between transactions.
bool needs_real_time(ModelSet asked) noexcept;

/// Checks a history that was read from a file: lists with the engine, registers with the checkers
/// for an unknown order of writes. The result does not refer to the history.
Findings check_history(const history::ReadHistory& read, const std::string& source,
                       const CheckOptions& options = {});

}  // namespace isotap::analysis
