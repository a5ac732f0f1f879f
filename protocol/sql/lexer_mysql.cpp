#include <array>

#include "protocol/sql/letters.hpp"
#include "protocol/sql/lexer.hpp"

/// The lexical rules of the MySQL family.
namespace isotap::sql {
namespace {

constexpr std::array<std::string_view, 12> long_operators{
    "<=>", "->>", "<<", ">>", "<=", ">=", "<>", "!=", ":=", "||", "&&", "->"};
constexpr std::string_view short_operators = "+-/%^~&|!<>:{}";

std::size_t count_digits(std::string_view text, std::size_t from, std::size_t most) noexcept {
    std::size_t count = 0;
    while (count < most && from + count < text.size() &&
           letters::is(text[from + count], letters::digit)) {
        ++count;
    }
    return count;
}

bool is_hex_digit(char byte) noexcept {
    return letters::is(byte, letters::digit) || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

}  // namespace

Token Lexer::next_mysql() noexcept {
    if (!skip_mysql_space()) {
        return broken();
    }
    begin_ = at_;
    const bool name_expected = after_dot_;
    after_dot_ = false;
    if (at_end()) {
        return in_executable_comment_ ? broken() : made(TokenKind::end);
    }
    const char first = peek();
    switch (first) {
        case '\'': return mysql_string(0);
        case '"': return state_.ansi_quotes ? quoted_name(0) : mysql_string(0);
        case '`': return quoted_name(0);
        case '(': return punctuation(TokenKind::open_paren);
        case ')': return punctuation(TokenKind::close_paren);
        case '[': return punctuation(TokenKind::open_bracket);
        case ']': return punctuation(TokenKind::close_bracket);
        case ',': return punctuation(TokenKind::comma);
        case ';': return punctuation(TokenKind::semicolon);
        case '*': return punctuation(TokenKind::star);
        case '=': return punctuation(TokenKind::equals);
        case '?': return punctuation(TokenKind::parameter);
        case '.': return mysql_dot();
        case '@': return mysql_variable();
        case '$': sure_ = false; break;  // a name on some servers, a dollar quote on MySQL 9
        case 'b':
        case 'B':
        case 'x':
        case 'X':
        case 'n':
        case 'N':
            if (peek(1) == '\'' && !name_expected) {
                return mysql_string(1);
            }
            break;
        default: break;
    }
    Token token;
    if (letters::is(first, letters::digit) && !name_expected) {
        token = mysql_number_or_name();
    } else if (letters::is(first, letters::name_part)) {
        token = bare_word();
    } else {
        return mysql_operator();
    }
    if (token.kind == TokenKind::word) {
        word_end_ = token.end;
    }
    return token;
}

/// Also steps into and out of the comments that are code.
bool Lexer::skip_mysql_space() noexcept {
    for (;;) {
        const char byte = peek();
        if (letters::is(byte, letters::space)) {
            ++at_;
        } else if (byte == '#' ||
                   (byte == '-' && peek(1) == '-' && static_cast<unsigned char>(peek(2)) <= ' ')) {
            const std::size_t newline = text_.find('\n', at_);
            at_ = newline == std::string_view::npos ? text_.size() : newline + 1;
        } else if (byte == '/' && peek(1) == '*') {
            begin_ = at_;
            if (!open_mysql_comment()) {
                return false;
            }
        } else if (in_executable_comment_ && byte == '*' && peek(1) == '/') {
            in_executable_comment_ = false;
            at_ += 2;
        } else {
            return true;
        }
    }
}

bool Lexer::open_mysql_comment() noexcept {
    const bool for_mariadb = peek(2) == 'M' && peek(3) == '!';
    const bool conditional = peek(2) == '!' || (for_mariadb && state_.mariadb);
    if (!conditional) {
        return skip_flat_comment();
    }
    const std::size_t marker = for_mariadb ? 4 : 3;
    const std::size_t digits = count_digits(text_, at_ + marker, 6);
    if (digits < 5) {
        at_ += marker;
        in_executable_comment_ = true;
        return true;
    }
    if (runs_here(text_.substr(at_ + marker, digits), for_mariadb)) {
        at_ += marker + digits;
        in_executable_comment_ = true;
        return true;
    }
    // Skipped code may hold comments of its own, one deep.
    at_ += marker;
    for (;;) {
        if (at_end()) {
            return false;
        }
        if (peek() == '*' && peek(1) == '/') {
            at_ += 2;
            return true;
        }
        if (peek() == '/' && peek(1) == '*') {
            if (!skip_flat_comment()) {
                return false;
            }
        } else {
            ++at_;
        }
    }
}

bool Lexer::skip_flat_comment() noexcept {
    const std::size_t closing = text_.find("*/", at_ + 2);
    if (closing == std::string_view::npos) {
        return false;
    }
    at_ = closing + 2;
    return true;
}

bool Lexer::runs_here(std::string_view version, bool for_mariadb) noexcept {
    std::uint32_t wanted = 0;
    for (const char digit : version) {
        wanted = wanted * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    if (state_.server_version == 0 || (!state_.mariadb && version.size() == 6)) {
        sure_ = false;  // how MySQL reads a sixth digit depends on its release
    }
    const bool for_other_mysql = wanted >= 50700 && wanted <= 99999 && !for_mariadb;
    return wanted <= state_.server_version && !(state_.mariadb && for_other_mysql);
}

Token Lexer::mysql_string(std::size_t quote_offset) noexcept {
    const char quote = peek(quote_offset);
    at_ += quote_offset + 1;
    while (!at_end()) {
        const char byte = peek();
        const bool escaped = byte == '\\' && !state_.no_backslash_escapes;
        const bool doubled = byte == quote && peek(1) == quote;
        if (escaped || doubled) {
            at_ += 2;
        } else if (byte != quote) {
            ++at_;
        } else {
            ++at_;
            return made(TokenKind::string);
        }
    }
    return broken();
}

Token Lexer::mysql_dot() noexcept {
    const bool behind_word = at_ > 0 && word_end_ == at_;
    if (letters::is(peek(1), letters::digit) && !behind_word) {
        const char before = at_ > 0 ? text_[at_ - 1] : ' ';
        if (before == '`' || before == '"') {
            sure_ = false;  // `a`.1b: servers differ
        }
        return mysql_number_or_name();
    }
    ++at_;
    after_dot_ = letters::is(peek(), letters::name_part);
    return made(TokenKind::dot);
}

/// Names may start with digits: 1e5 is a number, 1ea is a name.
Token Lexer::mysql_number_or_name() noexcept {
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'b')) {
        std::size_t length = 2;
        while (peek(1) == 'x' ? is_hex_digit(peek(length))
                              : peek(length) == '0' || peek(length) == '1') {
            ++length;
        }
        if (length > 2 && !letters::is(peek(length), letters::name_part)) {
            at_ += length;
            return made(TokenKind::string);
        }
    }
    const auto skip_digits = [this] { at_ += count_digits(text_, at_, text_.size()); };
    const auto skip_exponent = [this, skip_digits] {
        const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
        if ((peek() != 'e' && peek() != 'E') || !letters::is(peek(1 + sign), letters::digit)) {
            return false;
        }
        at_ += 1 + sign;
        skip_digits();
        return true;
    };
    skip_digits();
    if (peek() == '.') {
        ++at_;
        skip_digits();
        skip_exponent();
        return made(TokenKind::decimal);
    }
    if (skip_exponent()) {
        return made(TokenKind::decimal);
    }
    return letters::is(peek(), letters::name_part) ? bare_word() : made(TokenKind::integer);
}

Token Lexer::mysql_variable() noexcept {
    const bool system = peek(1) == '@';
    const std::size_t name = system ? 2 : 1;
    const TokenKind kind = system ? TokenKind::system_variable : TokenKind::user_variable;
    Token token;
    if (peek(name) == '`') {
        token = quoted_name(name);
    } else if (!system && (peek(name) == '\'' || peek(name) == '"')) {
        token = mysql_string(name);
    } else {
        at_ += name;
        while (letters::is(peek(), letters::name_part) || (!system && peek() == '.')) {
            ++at_;
        }
        token = made(kind);
        word_end_ = at_;
    }
    if (token.kind != TokenKind::broken) {
        token.kind = kind;
    }
    return token;
}

Token Lexer::mysql_operator() noexcept {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view candidate : long_operators) {
        if (rest.substr(0, candidate.size()) == candidate) {
            return punctuation(TokenKind::symbol, candidate.size());
        }
    }
    if (short_operators.find(rest.front()) != std::string_view::npos) {
        return punctuation(TokenKind::symbol);
    }
    if (rest.substr(0, 2) == "\\N") {
        return punctuation(TokenKind::symbol, 2);
    }
    return broken();
}

}  // namespace isotap::sql
