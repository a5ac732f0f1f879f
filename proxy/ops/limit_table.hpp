#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "isotap/base/limits.hpp"

namespace isotap::proxy {

using SizeLimit = std::size_t Limits::*;
using TimeLimit = std::chrono::milliseconds Limits::*;

/// How a bound is written: `limits.NAME`.
struct LimitRow {
    enum class Kind : std::uint8_t { bytes, count, time };

    std::string_view name;
    Kind kind;
    std::variant<SizeLimit, TimeLimit> member;
    std::uint64_t least;  ///< in bytes, pieces or milliseconds
    std::uint64_t most;
    std::string_view help;
};

/// One row for every member of Limits.
std::span<const LimitRow> limit_table();

/// The value of a bound as it would be written: `64KiB`, `5s`.
std::string written_value(const LimitRow& row, const Limits& limits);

/// Sets the bound of that name, which stands in the table. Throws StartupError (usage) for what is
/// no value or outside of what makes sense.
void apply_limit(std::string_view name, std::string_view text, Limits& limits);

}  // namespace isotap::proxy
