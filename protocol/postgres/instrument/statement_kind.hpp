#pragma once

#include <string_view>

#include "protocol/sql/structure.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::postgres::instrument {

/// What no plan is asked for because text cannot capture it; empty for everything else.
std::string_view beyond_text(const sql::TokenList& tokens) noexcept;

/// Where the query of DECLARE … CURSOR … FOR query begins, and whether the cursor lives on when the
/// transaction has ended: then who fetches is not who has read.
struct CursorQuery {
    sql::TokenIndex first = sql::no_token;
    bool held = false;

    explicit CursorQuery(const sql::TokenList& tokens);
};

/// By its first word: a plan is asked for.
bool touches_rows(const sql::Token& first) noexcept;

bool writes(const sql::Structure& structure) noexcept;

}  // namespace isotap::postgres::instrument
