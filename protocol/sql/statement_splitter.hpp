#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/sql/lexer.hpp"

namespace isotap::sql {

/// A statement within a text of several, without its semicolon. Its text starts and ends with a
/// token, or with the comment that holds the token where that comment is code.
struct StatementSpan {
    std::string_view text;
    bool sure = true;  ///< the server cuts here, too
};

/// Walks over the statements of one text, as a simple-protocol Query or a multi-statement
/// COM_QUERY brings them. Empty statements are left out, as servers do.
///
/// Where only the full grammar could tell which semicolon ends a statement (the body of a stored
/// program), the rest of the text comes as one statement with `sure` false.
/// The text must outlive the splitter. No allocation. Not thread-safe.
class StatementSplitter {
  public:
    StatementSplitter(std::string_view text, const LexerState& state) noexcept
        : text_(text), dialect_(state.dialect), lexer_(text, state) {}

    /// False when there is no further statement.
    bool next(StatementSpan& statement) noexcept;

  private:
    std::string_view text_;
    Dialect dialect_;
    Lexer lexer_;
    std::size_t region_ = 0;  ///< behind the semicolon before the next statement
};

}  // namespace isotap::sql
