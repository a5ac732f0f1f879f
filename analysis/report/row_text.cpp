#include "analysis/report/row_text.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace isotap::analysis {
namespace {

/// The bytes of a key that is its own text, most significant first, NULs between its parts. Empty
/// for anything else: a hash looks like text once in ten million.
std::string own_text(const history::RowKey& row) {
    std::string text;
    for (const std::uint64_t word : {row.high, row.low}) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            text += static_cast<char>(word >> shift & 0xFFU);
        }
    }
    text.resize(text.find_last_not_of('\0') + 1);
    for (char& letter : text) {
        if (letter == '\0') {
            letter = ',';
        } else if (letter < ' ' || letter > '~') {
            return {};
        }
    }
    return text;
}

}  // namespace

std::string row_text(const history::RowKey& row) {
    if (row.high == 0) {
        return fmt::format("{}", row.low);
    }
    const std::string text = own_text(row);
    return text.empty() ? fmt::format("{:016x}{:016x}", row.high, row.low) : text;
}

}  // namespace isotap::analysis
