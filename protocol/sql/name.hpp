#pragma once

#include <string>
#include <string_view>

#include "protocol/sql/lexer_state.hpp"

namespace isotap::sql {

/// The name that a word or a quoted name spells: quotes taken off, and in PostgreSQL a bare word
/// folded to small letters.
std::string name_of(std::string_view spelled, Dialect dialect);

/// A name as it can be put into a statement: quoted for the dialect, whatever it holds.
std::string quoted(std::string_view name, Dialect dialect);

/// Aggregate functions of the server itself; `name` in any case. Aggregates that users have made
/// are known to the catalog only.
bool is_builtin_aggregate(std::string_view name, Dialect dialect) noexcept;

}  // namespace isotap::sql
