#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/sql/keyword.hpp"

namespace isotap::sql {

enum class TokenKind : std::uint8_t {
    end,
    word,         ///< bare: a keyword or a name
    quoted_name,  ///< "…" or `…`
    string,       ///< any quoted literal, with its prefix: E'…', $$…$$, X'…', N'…'
    integer,
    decimal,
    parameter,        ///< $1 or ?
    user_variable,    ///< @name
    system_variable,  ///< @@name, without what follows a dot
    comma,
    dot,
    semicolon,
    open_paren,
    close_paren,
    open_bracket,
    close_bracket,
    star,    ///< a lone *: a multiplication, or 'all columns'
    equals,  ///< a lone =
    symbol,  ///< any other operator
    broken,  ///< what no server would read either: an unterminated quote, a stray byte
};

/// A piece of a statement, as byte offsets into its text. Comments and white space are between
/// tokens. A small value.
struct Token {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenKind kind = TokenKind::end;
    Keyword keyword = Keyword::none;  ///< of a word

    [[nodiscard]] std::string_view in(std::string_view text) const noexcept {
        return text.substr(begin, end - begin);
    }
    [[nodiscard]] bool is(Keyword wanted) const noexcept { return keyword == wanted; }
    [[nodiscard]] bool is(TokenKind wanted) const noexcept { return kind == wanted; }
};

}  // namespace isotap::sql
