#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/token.hpp"

namespace isotap::sql {

/// Cuts SQL into tokens as the server would, in one pass and without allocation. Takes any bytes:
/// what cannot be read becomes a `broken` token that reaches to the end of the text.
///
/// `sure()` says whether the server reads the text up to here in the same way. Once false it stays
/// false; the tokens after that are a best guess, good for nothing but a log line.
/// The text must outlive the lexer. Not thread-safe; a copy reads on by itself.
class Lexer {
  public:
    Lexer(std::string_view text, const LexerState& state) noexcept;

    /// The next token; `end` for good once the text is used up.
    Token next() noexcept;

    [[nodiscard]] bool sure() const noexcept { return sure_; }

    /// The token read last stands in a comment that is code on this server.
    [[nodiscard]] bool in_executable_comment() const noexcept { return in_executable_comment_; }

  private:
    Token next_postgres() noexcept;
    Token next_mysql() noexcept;

    // Each leaves `at_` behind what it read.
    bool skip_postgres_space() noexcept;
    bool skip_nested_comment() noexcept;
    Token postgres_string(std::size_t quote_offset, bool backslashes) noexcept;
    Token postgres_dollar() noexcept;
    Token postgres_number() noexcept;
    Token postgres_operator() noexcept;
    bool continues_on_next_line() noexcept;

    bool skip_mysql_space() noexcept;
    bool open_mysql_comment() noexcept;
    bool skip_flat_comment() noexcept;
    [[nodiscard]] bool runs_here(std::string_view version, bool for_mariadb) noexcept;
    Token mysql_dot() noexcept;
    Token mysql_string(std::size_t quote_offset) noexcept;
    Token mysql_number_or_name() noexcept;
    Token mysql_variable() noexcept;
    Token mysql_operator() noexcept;

    Token quoted_name(std::size_t quote_offset) noexcept;
    Token bare_word() noexcept;
    Token punctuation(TokenKind kind, std::size_t length = 1) noexcept;
    Token broken() noexcept;
    Token made(TokenKind kind) noexcept;

    /// The byte `ahead` of the cursor; NUL behind the end, which no rule takes for a part of
    /// anything.
    [[nodiscard]] char peek(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    [[nodiscard]] bool at_end() const noexcept { return at_ >= text_.size(); }

    std::string_view text_;
    LexerState state_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  ///< of the token being read
    bool sure_ = true;
    bool in_executable_comment_ = false;
    bool after_dot_ = false;    ///< MySQL: right behind `name.` a name may start with a digit
    std::size_t word_end_ = 0;  ///< MySQL: of the last bare word
};

}  // namespace isotap::sql
