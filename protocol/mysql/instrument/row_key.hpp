#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

#include "isotap/history/ids.hpp"

namespace isotap::mysql::instrument {

/// The key of a row from the text of its rowId. A number and a UUID are themselves; any other text
/// is hashed. The same in every session and run.
inline history::RowKey row_key_of(std::string_view text) noexcept {
    history::RowKey key;
    const char* const end = text.data() + text.size();
    if (const auto [last, error] = std::from_chars(text.data(), end, key.low);
        error == std::errc{} && last == end && text.front() != '0') {
        return key;
    }
    constexpr std::size_t uuid_size = 36;
    std::size_t digits = 0;
    key = {};
    for (const char letter : text) {
        const char lower = static_cast<char>(letter | 0x20);
        const bool digit = letter >= '0' && letter <= '9';
        if (!digit && (lower < 'a' || lower > 'f')) {
            continue;
        }
        ++digits;
        key.high = key.high << 4 | key.low >> 60;
        key.low =
            key.low << 4 | static_cast<std::uint64_t>(digit ? letter - '0' : lower - 'a' + 10);
    }
    if (text.size() == uuid_size && digits == 32) {
        return key;
    }
    key = {0xCBF29CE484222325ULL, text.size()};
    for (const char letter : text) {
        key.high = (key.high ^ static_cast<std::uint8_t>(letter)) * 0x100000001B3ULL;
        key.low = (key.low ^ key.high >> 29) * 0xBF58476D1CE4E5B9ULL + 1;
    }
    return key;
}

}  // namespace isotap::mysql::instrument
