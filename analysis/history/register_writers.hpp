#pragma once

#include <iosfwd>

#include "analysis/history/formats.hpp"

namespace isotap::history {

/// Both take registers whose keys and values are numbers.
void write_plume(const ReadHistory& read, std::ostream& out);
void write_dbcop_bincode(const ReadHistory& read, std::ostream& out);

}  // namespace isotap::history
