#pragma once

#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"
#include "isotap/analysis/engine.hpp"
#include "isotap/analysis/level.hpp"

namespace isotap::analysis {

/// All that a report tells about one history.
struct Findings {
    std::string source;  ///< the file, or where else it came from
    std::string format;  ///< what it was read as
    ModelSet asked;
    Verdict verdict = Verdict::unknown;
    Statistics statistics;
    std::vector<Anomaly> anomalies;
    /// Models that fail, whether or not an anomaly that is shown says so.
    ModelSet violated;
    /// Why the verdict is not `clean` although nothing was found, in words.
    std::vector<std::string> doubts;
    /// An order in which the transactions might have run one after the other; empty: not asked for,
    /// or there is none.
    std::vector<history::TransactionId> serial_order;
};

}  // namespace isotap::analysis
