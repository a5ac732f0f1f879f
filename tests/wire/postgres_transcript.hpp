#pragma once

#include <string>

#include "tests/support/postgres_wire.hpp"

namespace isotap::test {

/// One message as a line of text that is the same whenever the same conversation is held again:
/// process numbers, cancel secrets (their length stays), OIDs of tables and transaction numbers are
/// masked. Long bodies are shortened to their start, size and a checksum.
std::string transcript_line(const Frame& frame);

}  // namespace isotap::test
