#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isotap::test {

/// What a client sees of an answer, but for what differs between any two servers: a line for each
/// field, row, notice and error.
struct Heard {
    std::vector<std::string> lines;
    std::vector<std::string> rows;  ///< in the order in which they came
};

/// Where two answers differ first; empty if nowhere. Rows whose order the statement leaves open may
/// come in any.
std::string difference(Heard direct, Heard through, bool ordered);

/// A number out of the environment.
std::uint64_t asked(const char* name, std::uint64_t otherwise);

}  // namespace isotap::test
