#pragma once

#include <string>

#include "isotap/analysis/contract.hpp"

#include "analysis/check/history_check.hpp"
#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/report/findings.hpp"

namespace isotap::analysis {

/// What `check` finds in a recording: what the live analysis found, from the same events. Without
/// `options.asked` the contract says what is a violation; without one, everything is a hazard.
history::ReadResult<Findings> check_recording(history::recording::Recording& recording,
                                              const std::string& source,
                                              const CheckOptions& options,
                                              const history::recording::Progress& progress = {});

}  // namespace isotap::analysis
