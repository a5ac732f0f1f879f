#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "isotap/history/version.hpp"

namespace isotap::mysql::instrument {

/// Who wrote a row, oldest first, as its wList says: `T0,T5.1`, or `3|T5.1,T9.2` where the three
/// oldest have been dropped.
struct WriterList {
    std::uint64_t trimmed = 0;
    std::vector<history::Version> writers;
};

/// False for a text that is no such list; then `list` says nothing. Keeps the memory of `list`.
bool read_writer_list(std::string_view text, WriterList& list);

}  // namespace isotap::mysql::instrument
