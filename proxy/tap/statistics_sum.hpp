#pragma once

#include <string>
#include <vector>

#include "isotap/analysis/engine.hpp"

namespace isotap::proxy {

/// Adds up what several engines saw, one after the other.
void add_to(analysis::Statistics& sum, const analysis::Statistics& more);

/// As `Engine::verdict`, over all of them. Without a single statement that was captured, nothing
/// was looked at: that is 'unknown'.
analysis::Verdict verdict_of(const analysis::Statistics& statistics, std::uint64_t restarts);

/// Why the verdict cannot be 'clean', in words.
std::vector<std::string> doubts_of(const analysis::Statistics& statistics, std::uint64_t restarts);

}  // namespace isotap::proxy
