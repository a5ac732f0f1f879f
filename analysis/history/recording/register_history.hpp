#pragma once

#include "analysis/history/formats.hpp"
#include "analysis/history/recording/recording_reader.hpp"

namespace isotap::history::recording {

/// A recording as a history of registers, which other checkers read: a key is a row, and a value
/// names a version. What is known about the order of versions is lost; so is what cannot be said
/// there: conditions, and reads of versions that were not captured, or of which it is not known
/// whether they were there at first.
ReadResult<ReadHistory> as_registers(Recording& recording);

}  // namespace isotap::history::recording
