#pragma once

#include <iosfwd>

#include "analysis/history/history.hpp"

namespace isotap::history {

/// One operation a line: every transaction is invoked and completes. Where the history knows no
/// moments, one after the other.
void write_elle(const History& history, std::ostream& out);

}  // namespace isotap::history
