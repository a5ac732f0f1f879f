#pragma once

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// What stands around a subquery in an expression.
struct SubqueryUse {
    bool evaluated = true;  ///< whenever the row comes out: behind no OR, CASE or call
    bool matches =
        false;  ///< EXISTS, IN, = ANY, not negated: a row is kept because rows were found
    bool in_list = false;  ///< in the select list: evaluated for every row that comes out
};

/// Of a query whose role is `expression`. Where words could mean either, the weaker answer.
SubqueryUse use_of(const Draft& draft, QueryId query);

}  // namespace isotap::sql
