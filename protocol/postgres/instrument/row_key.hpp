#pragma once

#include <cstdint>
#include <string_view>

#include "isotap/history/ids.hpp"

namespace isotap::postgres::instrument {

/// The key of a row from its canonical text: its parts with a NUL between them, which no text of
/// PostgreSQL holds. Up to 16 bytes it is that text itself; else two 64-bit lanes over all of it.
/// The same in every session and run.
inline history::RowKey row_key_of(std::string_view text) noexcept {
    const auto load = [](std::string_view bytes) noexcept {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < sizeof value; ++i) {
            value = value << 8 | (i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0U);
        }
        return value;
    };
    constexpr std::size_t word = sizeof(std::uint64_t);
    if (text.size() <= 2 * word) {
        return {load(text.substr(0, word)), text.size() > word ? load(text.substr(word)) : 0};
    }
    const auto fold = [](std::uint64_t value, std::uint64_t factor) noexcept {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(value) * factor;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    };
    history::RowKey key{text.size(), ~static_cast<std::uint64_t>(text.size())};
    for (std::size_t at = 0; at < text.size(); at += word) {
        const std::uint64_t value = load(text.substr(at, word));
        key.high = fold(key.high ^ value, 0xA0761D6478BD642FULL) + 0x9E3779B97F4A7C15ULL;
        key.low = fold(key.low + value, 0xE7037ED1A0B428DBULL) ^ (key.low << 7 | key.low >> 57);
    }
    return key;
}

}  // namespace isotap::postgres::instrument
