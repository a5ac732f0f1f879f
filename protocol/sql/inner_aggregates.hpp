#pragma once

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// Without ONLY_FULL_GROUP_BY the MySQL family takes a lone column beside an aggregate, and an
/// aggregate in a subquery may belong to this block: then one arbitrary row would be reported.
bool hides_an_aggregate(const Draft& draft, BlockId block);

}  // namespace isotap::sql
