#include "analysis/report/utf8_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isotap::analysis {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The length of the character at the front; 0: there is none. No overlong forms, no surrogates,
/// nothing beyond U+10FFFF.
std::size_t character_at(std::string_view text) noexcept {
    const auto byte = [text](std::size_t i) {
        return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
    };
    const std::uint8_t first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    std::uint8_t lowest = 0x80;
    std::uint8_t highest = 0xBF;
    switch (first) {
        case 0xE0: lowest = 0xA0; break;
        case 0xED: highest = 0x9F; break;
        case 0xF0: lowest = 0x90; break;
        case 0xF4: highest = 0x8F; break;
        default: break;
    }
    if (first < 0xC2 || first > 0xF4 || byte(1) < lowest || byte(1) > highest) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if (byte(i) < 0x80 || byte(i) > 0xBF) {
            return 0;
        }
    }
    return length;
}

}  // namespace

std::string in_utf8(std::string text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t length = character_at(std::string_view(text).substr(at));
        if (length == 0) {
            break;
        }
        at += length;
    }
    if (at == text.size()) {
        return text;
    }
    std::string valid = text.substr(0, at);
    while (at < text.size()) {
        const std::size_t length = character_at(std::string_view(text).substr(at));
        length == 0 ? valid.append(replacement) : valid.append(text, at, length);
        at += length == 0 ? 1 : length;
    }
    return valid;
}

}  // namespace isotap::analysis
