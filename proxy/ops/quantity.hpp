#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace isotap::proxy {

/// A number without a unit.
std::uint64_t parse_count(std::string_view text);

/// `64KiB`, `1MiB`, `2GiB`, `512B`, `512`: bytes.
std::uint64_t parse_size(std::string_view text);

/// `250ms`, `30s`, `5min`, `1h`. The unit is not optional: a bare number has been misread too
/// often.
std::chrono::milliseconds parse_duration(std::string_view text);

// All throw StartupError (usage) for anything else, and for what is too large: for the type, or to
// be added to a clock.

}  // namespace isotap::proxy
