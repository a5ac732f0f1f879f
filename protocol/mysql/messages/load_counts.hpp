#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace isotap::mysql {

/// What LOAD DATA says of its rows: `Records: 3  Deleted: 0  Skipped: 1  Warnings: 1`.
struct LoadCounts {
    std::uint64_t read = 0;
    std::uint64_t removed = 0;
    std::uint64_t skipped = 0;
    std::uint64_t warnings = 0;
};

/// How many rows an INSERT or REPLACE of several, or LOAD DATA, has worked on: the first number in
/// the info of its OK packet; nothing where there is none.
std::optional<std::uint64_t> read_records(std::string_view info) noexcept;

/// Of the info of an OK packet. The words are of the session's language, the numbers are not;
/// nothing where there are not exactly four of them.
std::optional<LoadCounts> read_load_counts(std::string_view info) noexcept;

}  // namespace isotap::mysql
