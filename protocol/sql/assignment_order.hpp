#pragma once

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// MariaDB: whether the assignments of an UPDATE of `table` run from left to right, each seeing
/// those before it, whatever the plan. Not so where the server makes it one of joined tables: they
/// all see the row as it was.
bool assigns_in_order(const Draft& draft, const Block& block, const Table& table);

}  // namespace isotap::sql
