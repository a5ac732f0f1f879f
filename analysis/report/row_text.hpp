#pragma once

#include <string>

#include "isotap/history/ids.hpp"

namespace isotap::analysis {

/// What to call a row that nobody has labelled: its key as it was in the database where that fits
/// into a RowKey ("5", "eu,17"), else the number that stands for it.
std::string row_text(const history::RowKey& row);

}  // namespace isotap::analysis
