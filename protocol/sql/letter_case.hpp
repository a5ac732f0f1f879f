#pragma once

#include <algorithm>
#include <string>
#include <string_view>

/// Words without regard to case, as both dialects fold key words: ASCII letters and no others.
namespace isotap::sql {

constexpr char small_letter(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

constexpr bool same_letter(char one, char another) noexcept {
    return small_letter(one) == small_letter(another);
}

constexpr bool same_word(std::string_view one, std::string_view another) noexcept {
    return std::equal(one.begin(), one.end(), another.begin(), another.end(), same_letter);
}

/// `word` stands somewhere in `text`, be it within another word.
constexpr bool contains(std::string_view text, std::string_view word) noexcept {
    return std::search(text.begin(), text.end(), word.begin(), word.end(), same_letter) !=
           text.end();
}

inline std::string small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), small_letter);
    return text;
}

}  // namespace isotap::sql
