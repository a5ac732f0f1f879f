#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/token.hpp"

namespace isotap::sql {

using TokenIndex = std::uint32_t;
inline constexpr TokenIndex no_token = 0xFFFFFFFF;

/// Tokens [first, last) of a statement.
struct TokenRange {
    TokenIndex first = 0;
    TokenIndex last = 0;

    [[nodiscard]] bool empty() const noexcept { return first >= last; }
    [[nodiscard]] TokenIndex size() const noexcept { return empty() ? 0 : last - first; }
    [[nodiscard]] bool holds(TokenIndex token) const noexcept {
        return first <= token && token < last;
    }
    friend bool operator==(const TokenRange&, const TokenRange&) = default;
};

/// All tokens of one statement, closed by one of kind `end`. Made to be kept and filled again: once
/// it has grown to the longest statement of a session, it allocates nothing. Not thread-safe.
class TokenList {
  public:
    /// More tokens than this, and the statement is not sure.
    static constexpr std::size_t most_tokens = 1 << 16;

    /// Reads one statement, up to its end or its semicolon. The text must outlive the use of the
    /// list.
    void read(std::string_view statement, const LexerState& state);

    [[nodiscard]] bool sure() const noexcept { return sure_; }
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    /// Without the closing `end`.
    [[nodiscard]] TokenIndex size() const noexcept {
        return static_cast<TokenIndex>(tokens_.size() - 1);
    }
    /// Any index: behind the last token stands `end`.
    [[nodiscard]] const Token& operator[](TokenIndex i) const noexcept {
        return tokens_[i < tokens_.size() ? i : tokens_.size() - 1];
    }
    [[nodiscard]] std::string_view text(TokenIndex i) const noexcept {
        return (*this)[i].in(text_);
    }
    /// The token is this word, in whatever case.
    [[nodiscard]] bool spells(TokenIndex i, std::string_view word) const noexcept {
        return same_word(text(i), word);
    }
    /// From the first byte of the first token to the last byte of the last one.
    [[nodiscard]] std::string_view text(TokenRange range) const noexcept;

  private:
    std::string_view text_;
    std::vector<Token> tokens_{Token{}};
    bool sure_ = false;
};

}  // namespace isotap::sql
