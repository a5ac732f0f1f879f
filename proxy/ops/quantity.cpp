#include "proxy/ops/quantity.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

constexpr Unit no_units[] = {{"", 1}};
constexpr Unit byte_units[] = {
    {"", 1}, {"B", 1}, {"KiB", 1U << 10}, {"MiB", 1U << 20}, {"GiB", 1U << 30}};
constexpr Unit time_units[] = {{"ms", 1}, {"s", 1000}, {"min", 60'000}, {"h", 3'600'000}};

constexpr std::uint64_t largest_number = std::numeric_limits<std::int64_t>::max();
/// Clocks count nanoseconds in a signed type, and a time is added to what they say.
constexpr std::uint64_t largest_time = largest_number / 1'000'000 / 2;

/// Nothing when it is no number, has another unit, or is too large.
std::optional<std::uint64_t> quantity(std::string_view text, std::span<const Unit> units,
                                      std::uint64_t largest = largest_number) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const Unit& unit : units) {
        if (unit.name == name && number <= largest / unit.factor) {
            return number * unit.factor;
        }
    }
    return std::nullopt;
}

}  // namespace

std::uint64_t parse_count(std::string_view text) {
    const auto count = quantity(text, no_units);
    if (!count) {
        refuse(fmt::format("'{}' is no number: write digits only", text));
    }
    return *count;
}

std::uint64_t parse_size(std::string_view text) {
    const auto size = quantity(text, byte_units);
    if (!size) {
        refuse(fmt::format("'{}' is no size: write a number and B, KiB, MiB or GiB", text));
    }
    return *size;
}

std::chrono::milliseconds parse_duration(std::string_view text) {
    const auto milliseconds = quantity(text, time_units, largest_time);
    if (!milliseconds) {
        refuse(fmt::format("'{}' is no time: write a number and ms, s, min or h", text));
    }
    return std::chrono::milliseconds(static_cast<std::int64_t>(*milliseconds));
}

}  // namespace isotap::proxy
