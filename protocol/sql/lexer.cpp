#include "protocol/sql/lexer.hpp"

#include <algorithm>
#include <limits>

#include "protocol/sql/letters.hpp"

namespace isotap::sql {

Lexer::Lexer(std::string_view text, const LexerState& state) noexcept : text_(text), state_(state) {
    const auto beyond_ascii = [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; };
    sure_ = state.certain && state.dialect != Dialect::unknown &&
            text.size() < std::numeric_limits<std::uint32_t>::max() &&
            !(state.trail_bytes_look_ascii && std::any_of(text.begin(), text.end(), beyond_ascii));
}

Token Lexer::next() noexcept {
    return state_.dialect == Dialect::mysql ? next_mysql() : next_postgres();
}

Token Lexer::quoted_name(std::size_t quote_offset) noexcept {
    const char quote = peek(quote_offset);
    at_ += quote_offset + 1;
    for (;;) {
        const std::size_t closing = text_.find(quote, at_);
        if (closing == std::string_view::npos) {
            return broken();
        }
        at_ = closing + 1;
        if (peek() != quote) {
            return made(TokenKind::quoted_name);
        }
        ++at_;
    }
}

Token Lexer::bare_word() noexcept {
    while (letters::is(peek(), letters::name_part)) {
        ++at_;
    }
    Token token = made(TokenKind::word);
    token.keyword = keyword_of(token.in(text_));
    return token;
}

Token Lexer::punctuation(TokenKind kind, std::size_t length) noexcept {
    at_ += length;
    return made(kind);
}

Token Lexer::broken() noexcept {
    sure_ = false;
    at_ = text_.size();
    in_executable_comment_ = false;  // the end comes next, whatever was open
    return made(TokenKind::broken);
}

Token Lexer::made(TokenKind kind) noexcept {
    return {static_cast<std::uint32_t>(begin_), static_cast<std::uint32_t>(at_), kind,
            Keyword::none};
}

}  // namespace isotap::sql
