#pragma once

#include <string_view>

#include "protocol/sql/token_list.hpp"

namespace isotap::sql {

/// For the MySQL family: why a statement that is no query and no write of rows (INSERT, REPLACE,
/// UPDATE, DELETE) tells nothing of rows that it reads or writes all the same. Empty when it
/// touches none of an application's, as most do. A literal.
std::string_view why_untold_on_mysql(const TokenList& tokens) noexcept;

}  // namespace isotap::sql
