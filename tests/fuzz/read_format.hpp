#pragma once

#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "analysis/history/formats.hpp"
#include "analysis/history/writers.hpp"

namespace isotap::fuzz {

/// Reads any bytes as this format. What can be read can be written in every format that holds it,
/// and comes back with as many transactions; only names that are no EDN need not come back.
inline int read_format(const std::uint8_t* data, std::size_t size, history::Format format) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = history::read_history_text(text, "input", format);
    if (!read) {
        return read.error().what.empty() ? (std::abort(), 1) : 0;
    }
    for (const history::Format other : history::all_formats()) {
        std::ostringstream out;
        if (!history::can_write(other) || !history::write_history(*read, other, out)) {
            continue;
        }
        const auto again = history::read_history_text(out.str(), "written", other);
        const bool numbers =
            other == history::Format::plume || other == history::Format::dbcop_bincode;
        const bool loses_empty = other == history::Format::plume;
        const bool as_many =
            again && again->history.transactions.size() == read->history.transactions.size();
        if ((!again && numbers) || (again && !as_many && !loses_empty)) {
            std::abort();
        }
    }
    return 0;
}

}  // namespace isotap::fuzz
