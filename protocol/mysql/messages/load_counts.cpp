#include "protocol/mysql/messages/load_counts.hpp"

#include <algorithm>
#include <charconv>

namespace isotap::mysql {

namespace {

/// Takes what comes before the next number, and the number. Nothing where there is none, or none
/// that large.
std::optional<std::uint64_t> take_number(std::string_view& info) noexcept {
    info.remove_prefix(std::min(info.find_first_of("0123456789"), info.size()));
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(info.data(), info.data() + info.size(), number);
    info.remove_prefix(static_cast<std::size_t>(end - info.data()));
    return error == std::errc{} ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> read_records(std::string_view info) noexcept {
    return take_number(info);
}

std::optional<LoadCounts> read_load_counts(std::string_view info) noexcept {
    const auto read = take_number(info);
    const auto removed = take_number(info);
    const auto skipped = take_number(info);
    const auto warnings = take_number(info);
    if (!read || !removed || !skipped || !warnings || take_number(info) || !info.empty()) {
        return std::nullopt;
    }
    return LoadCounts{*read, *removed, *skipped, *warnings};
}

}  // namespace isotap::mysql
