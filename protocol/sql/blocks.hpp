#pragma once

#include <vector>

#include "protocol/sql/draft.hpp"

/// Questions about the blocks of a statement that several planners ask.
namespace isotap::sql {

/// The SELECT, VALUES, … that make up a query, out of their parentheses, from left to right.
std::vector<BlockId> arms_of(const Structure& structure, QueryId query);

/// Any of its set operations is another one than UNION ALL, or mixed with others.
bool has_other_set_operation(const Structure& structure, QueryId query);

/// Some table is read within the query, at any depth.
bool reads_tables(const Structure& structure, QueryId query);

/// All rows of the block, or of a group, become one.
bool is_grouped(const Draft& draft, BlockId block);

/// Only some of the query's rows come out of it.
bool has_limit(const Structure& structure, QueryId query);

/// Behind EXISTS, a query that ends at once when it has a row: `LIMIT n` with a number that is
/// spelled out, and no OFFSET. Which row it would be is nobody's matter, only that n is not 0.
bool only_exists(const Draft& draft, QueryId query);

/// How the block's expressions call the relation.
TokenIndex called(const Relation& relation) noexcept;

/// `FROM t, other.t`: legal where only qualified names are used; ours might not be unique.
bool shares_its_name(const Draft& draft, const Relation& relation);

}  // namespace isotap::sql
