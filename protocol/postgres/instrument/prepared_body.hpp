#pragma once

#include <string>

#include "protocol/sql/token_list.hpp"

namespace isotap::postgres::instrument {

/// PREPARE name (types) AS body.
struct PreparedBody {
    sql::TokenIndex first = sql::no_token;  ///< of the body
    sql::TokenRange types{};                ///< between the parentheses

    explicit PreparedBody(const sql::TokenList& tokens);

    /// As Parse has them: four bytes each. 0, which leaves it to the server, for all but its own
    /// types by the names that people give them.
    [[nodiscard]] std::string parameter_types(const sql::TokenList& tokens) const;
};

}  // namespace isotap::postgres::instrument
