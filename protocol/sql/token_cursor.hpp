#pragma once

#include <string_view>

#include "protocol/sql/lexer.hpp"

namespace isotap::sql {

/// Reads one statement token by token, straight from the lexer: for questions that the first words
/// answer. No allocation. Views live as long as the text.
class TokenCursor {
  public:
    TokenCursor(std::string_view statement, const LexerState& state) noexcept
        : text_(statement), lexer_(statement, state), token_(lexer_.next()) {}

    [[nodiscard]] const Token& token() const noexcept { return token_; }
    [[nodiscard]] std::string_view text() const noexcept { return token_.in(text_); }
    [[nodiscard]] bool sure() const noexcept { return lexer_.sure(); }
    [[nodiscard]] bool at_end() const noexcept {
        return token_.is(TokenKind::end) || token_.is(TokenKind::semicolon);
    }
    [[nodiscard]] bool is(Keyword keyword) const noexcept { return token_.is(keyword); }
    [[nodiscard]] bool is(TokenKind kind) const noexcept { return token_.is(kind); }

    void advance() noexcept {
        if (!at_end()) {
            token_ = lexer_.next();
        }
    }
    bool accept(Keyword keyword) noexcept { return is(keyword) && (advance(), true); }
    bool accept(TokenKind kind) noexcept { return is(kind) && (advance(), true); }

  private:
    std::string_view text_;
    Lexer lexer_;
    Token token_;
};

}  // namespace isotap::sql
