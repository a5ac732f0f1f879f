#include "protocol/sql/letters.hpp"
#include "protocol/sql/lexer.hpp"

/// PostgreSQL's lexical rules (and CockroachDB's, which follow them).
namespace isotap::sql {
namespace {

/// A dollar-quote tag is a name without dollars.
bool is_tag_letter(char byte) noexcept {
    return letters::is(byte, letters::name_part) && byte != '$';
}

bool is_newline(char byte) noexcept {
    return byte == '\n' || byte == '\r';
}

/// The letters that let an operator end in + or -.
bool frees_trailing_sign(char byte) noexcept {
    return std::string_view("~!@#%^&|`?").find(byte) != std::string_view::npos;
}

}  // namespace

Token Lexer::next_postgres() noexcept {
    if (!skip_postgres_space()) {
        return broken();
    }
    begin_ = at_;
    if (at_end()) {
        return made(TokenKind::end);
    }
    const char first = peek();
    const char second = peek(1);
    switch (first) {
        case '\'': return postgres_string(0, !state_.standard_conforming_strings);
        case '"': return quoted_name(0);
        case '(': return punctuation(TokenKind::open_paren);
        case ')': return punctuation(TokenKind::close_paren);
        case '[': return punctuation(TokenKind::open_bracket);
        case ']': return punctuation(TokenKind::close_bracket);
        case ',': return punctuation(TokenKind::comma);
        case ';': return punctuation(TokenKind::semicolon);
        case '$': return postgres_dollar();
        case ':': return punctuation(TokenKind::symbol, second == ':' || second == '=' ? 2 : 1);
        case '.':
            if (letters::is(second, letters::digit)) {
                return postgres_number();
            }
            return second == '.' ? punctuation(TokenKind::symbol, 2) : punctuation(TokenKind::dot);
        case 'e':
        case 'E':
            if (second == '\'') {
                return postgres_string(1, true);
            }
            break;
        case 'b':
        case 'B':
        case 'x':
        case 'X':
        case 'n':
        case 'N':
            if (second == '\'') {
                return postgres_string(
                    1, !state_.standard_conforming_strings && (first == 'n' || first == 'N'));
            }
            break;
        case 'u':
        case 'U':
            if (second == '&' && peek(2) == '\'') {
                return postgres_string(2, false);
            }
            if (second == '&' && peek(2) == '"') {
                return quoted_name(2);
            }
            break;
        default: break;
    }
    if (letters::is(first, letters::name_start)) {
        return bare_word();
    }
    if (letters::is(first, letters::digit)) {
        return postgres_number();
    }
    if (letters::is(first, letters::postgres_operator)) {
        return postgres_operator();
    }
    return broken();
}

bool Lexer::skip_postgres_space() noexcept {
    for (;;) {
        if (letters::is(peek(), letters::space)) {
            ++at_;
        } else if (peek() == '-' && peek(1) == '-') {
            while (!at_end() && !is_newline(peek())) {
                ++at_;
            }
        } else if (peek() == '/' && peek(1) == '*') {
            begin_ = at_;
            if (!skip_nested_comment()) {
                return false;
            }
        } else {
            return true;
        }
    }
}

bool Lexer::skip_nested_comment() noexcept {
    std::size_t depth = 0;
    while (!at_end()) {
        if (peek() == '/' && peek(1) == '*') {
            ++depth;
            at_ += 2;
        } else if (peek() == '*' && peek(1) == '/') {
            at_ += 2;
            if (--depth == 0) {
                return true;
            }
        } else {
            ++at_;
        }
    }
    return false;
}

Token Lexer::postgres_string(std::size_t quote_offset, bool backslashes) noexcept {
    at_ += quote_offset + 1;
    while (!at_end()) {
        const char byte = peek();
        const bool escaped = byte == '\\' && backslashes;
        const bool doubled = byte == '\'' && peek(1) == '\'';
        if (escaped || doubled) {
            at_ += 2;
        } else if (byte != '\'') {
            ++at_;
        } else {
            ++at_;
            if (!continues_on_next_line()) {
                return made(TokenKind::string);
            }
        }
    }
    return broken();
}

/// A literal goes on where only white space with a line break lies between two quotes: under the
/// rules of its first part, so that it must be one token.
bool Lexer::continues_on_next_line() noexcept {
    std::size_t ahead = 0;
    bool line_break = false;
    for (;;) {
        const char byte = peek(ahead);
        if (letters::is(byte, letters::space)) {
            line_break = line_break || is_newline(byte);
            ++ahead;
        } else if (byte == '-' && peek(ahead + 1) == '-') {
            while (at_ + ahead < text_.size() && !is_newline(peek(ahead))) {
                ++ahead;
            }
        } else {
            break;
        }
    }
    if (!line_break || peek(ahead) != '\'') {
        return false;
    }
    at_ += ahead + 1;
    return true;
}

Token Lexer::postgres_dollar() noexcept {
    if (letters::is(peek(1), letters::digit)) {
        ++at_;
        while (letters::is(peek(), letters::digit)) {
            ++at_;
        }
        return made(TokenKind::parameter);
    }
    std::size_t length = 1;
    while (is_tag_letter(peek(length))) {
        ++length;
    }
    if (peek(length) != '$') {
        return broken();
    }
    const std::string_view tag = text_.substr(at_, length + 1);
    const std::size_t closing = text_.find(tag, at_ + tag.size());
    if (closing == std::string_view::npos) {
        return broken();
    }
    at_ = closing + tag.size();
    return made(TokenKind::string);
}

Token Lexer::postgres_number() noexcept {
    const auto skip_digits = [this] {
        while (letters::is(peek(), letters::digit)) {
            ++at_;
            if (peek() == '_') {
                sure_ = false;  // 1_000 is a number since 16, a number and an alias up to 14
            }
        }
    };
    if (peek() == '0' && std::string_view("xXoObB").find(peek(1)) != std::string_view::npos &&
        peek(1) != '\0') {
        // Since 16 a number; before, a number with an alias glued to it (up to 14) or an error.
        sure_ = false;
        ++at_;
        while (letters::is(peek(), letters::name_part)) {
            ++at_;
        }
        return made(TokenKind::integer);
    }
    skip_digits();
    TokenKind kind = TokenKind::integer;
    if (peek() == '.' && peek(1) != '.') {
        kind = TokenKind::decimal;
        ++at_;
        skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
        const bool sign = peek(1) == '+' || peek(1) == '-';
        if (letters::is(peek(sign ? 2 : 1), letters::digit)) {
            kind = TokenKind::decimal;
            at_ += sign ? 2 : 1;
            skip_digits();
        }
    }
    return made(kind);
}

Token Lexer::postgres_operator() noexcept {
    std::size_t length = 0;
    while (letters::is(peek(length), letters::postgres_operator)) {
        const char next = peek(length + 1);
        const bool comment =
            (peek(length) == '-' && next == '-') || (peek(length) == '/' && next == '*');
        if (comment) {
            break;
        }
        ++length;
    }
    const std::string_view run = text_.substr(at_, length);
    if (length > 1 && (run.back() == '+' || run.back() == '-')) {
        bool free = false;
        for (const char byte : run) {
            free = free || frees_trailing_sign(byte);
        }
        while (!free && length > 1 && (run[length - 1] == '+' || run[length - 1] == '-')) {
            --length;
        }
    }
    if (length == 1 && run.front() == '*') {
        return punctuation(TokenKind::star);
    }
    if (length == 1 && run.front() == '=') {
        return punctuation(TokenKind::equals);
    }
    return punctuation(TokenKind::symbol, length);
}

}  // namespace isotap::sql
