#pragma once

#include <array>
#include <cstdint>

/// What a byte can be a part of. Both dialects take every byte beyond ASCII for a letter.
namespace isotap::sql::letters {

inline constexpr std::uint8_t name_start = 1;
inline constexpr std::uint8_t name_part = 2;
inline constexpr std::uint8_t digit = 4;
inline constexpr std::uint8_t space = 8;
inline constexpr std::uint8_t postgres_operator = 16;

inline constexpr auto table = [] {
    std::array<std::uint8_t, 256> classes{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                            byte == '_' || byte >= 0x80;
        if (letter) {
            classes[byte] = name_start | name_part;
        } else if (byte >= '0' && byte <= '9') {
            classes[byte] = digit | name_part;
        } else if (byte == '$') {
            classes[byte] = name_part;
        } else if (byte == ' ' || (byte >= '\t' && byte <= '\r')) {
            classes[byte] = space;
        }
    }
    for (const char symbol :
         {'~', '!', '@', '#', '^', '&', '|', '`', '?', '+', '-', '*', '/', '%', '<', '>', '='}) {
        classes[static_cast<std::uint8_t>(symbol)] |= postgres_operator;
    }
    return classes;
}();

constexpr bool is(char byte, std::uint8_t classes) noexcept {
    return (table[static_cast<std::uint8_t>(byte)] & classes) != 0;
}

}  // namespace isotap::sql::letters
