#include "protocol/mysql/instrument/script.hpp"

#include <algorithm>
#include <array>

#include "protocol/sql/keyword.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/statement_splitter.hpp"
#include "protocol/sql/token_cursor.hpp"
#include "protocol/sql/transaction_control.hpp"

namespace isotap::mysql::instrument {

using sql::Keyword;

namespace {

constexpr std::string_view white_space = " \t\n\v\f\r";

/// What has one result, and what may be said again where the server cannot read it: a CALL that
/// ends with an error of syntax may have written before.
bool gives_one_result(std::string_view statement, const sql::LexerState& lexing) {
    static constexpr std::array plain{
        Keyword::select, Keyword::insert, Keyword::update,  Keyword::delete_, Keyword::replace,
        Keyword::show,   Keyword::with,   Keyword::table,   Keyword::values,  Keyword::create,
        Keyword::alter,  Keyword::drop,   Keyword::truncate};
    sql::TokenCursor cursor(statement, lexing);
    if (cursor.accept(Keyword::set)) {
        return !cursor.is(Keyword::statement);  // MariaDB's SET STATEMENT … FOR CALL
    }
    while (cursor.accept(sql::TokenKind::open_paren)) {
    }
    return std::any_of(plain.begin(), plain.end(),
                       [&cursor](Keyword word) { return cursor.is(word); }) ||
           sql::same_word(cursor.text(), "use") ||
           sql::read_transaction_control(statement, lexing).verb != sql::TransactionVerb::none;
}

/// The server takes all that a client sends for the file that it has asked for.
bool may_ask_for_file(std::string_view text, const sql::LexerState& lexing) {
    sql::StatementSplitter splitter(text, lexing);
    sql::StatementSpan span;
    while (splitter.next(span)) {
        if (sql::TokenCursor(span.text, lexing).is(Keyword::load)) return true;
    }
    return false;
}

}  // namespace

std::optional<Script::Cut> Script::cut(std::string_view text, const sql::LexerState& lexing) const {
    sql::StatementSplitter splitter(text, lexing);
    sql::StatementSpan first;
    if (!lexing.certain || !splitter.next(first) || !first.sure ||
        !gives_one_result(first.text, lexing)) {
        return std::nullopt;
    }
    // Empty statements are errors, and the server forgets semicolons at the end of all.
    const auto begin = static_cast<std::size_t>(first.text.data() - text.data());
    const std::size_t semicolon = text.find_first_not_of(white_space, begin + first.text.size());
    if (text.substr(0, begin).find(';') != std::string_view::npos ||
        semicolon == std::string_view::npos || text[semicolon] != ';') {
        return std::nullopt;
    }
    const std::size_t rest = text.find_first_not_of(white_space, semicolon + 1);
    const std::size_t last = text.find_last_not_of(" \t\n\v\f\r;");
    if (rest == std::string_view::npos || last < rest ||
        (!running_ && may_ask_for_file(text, lexing))) {
        return std::nullopt;
    }
    return Cut{text.substr(0, semicolon), text.substr(rest)};
}

}  // namespace isotap::mysql::instrument
