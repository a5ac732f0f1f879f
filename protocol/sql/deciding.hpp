#pragma once

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// The tokens of `EXISTS (query)`; empty where the query stands behind something else.
TokenRange exists_around(const Draft& draft, QueryId query);

/// ` where …`: true for the rows of a block whose fate EXISTS decides, `exists` being a part of the
/// block's condition `where` (without the word): those that would be kept if it were true and not
/// if it were false, or the other way round. Conditions beside it stay as they are, so that the
/// server finds the rows by the same indexes.
Quoting where_it_decides(const Draft& draft, TokenRange where, TokenRange exists);

}  // namespace isotap::sql
