#pragma once

#include <optional>

#include "protocol/postgres/instrument/copy_format.hpp"
#include "protocol/sql/lexer_state.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::postgres::instrument {

/// What stands behind COPY … TO STDOUT, in either way of writing it, to the end of the statement.
/// Nothing where it is not understood, or says that rows are written in a way that does not tell
/// values from what is around them, or names columns: the server would take names of added ones,
/// and refuse those that a table has not in other words than those that a query has not.
std::optional<CopyFormat> copy_format_of(const sql::TokenList& tokens, sql::TokenIndex first,
                                         const sql::LexerState& lexing);

}  // namespace isotap::postgres::instrument
