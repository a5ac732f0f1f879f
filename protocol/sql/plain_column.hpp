#pragma once

#include <string>
#include <vector>

#include "protocol/sql/draft.hpp"

/// Columns of a block's own tables where nothing is made of them.
namespace isotap::sql {

/// `[relation.]column` at the beginning of `range`, a column of a table of the block; empty where
/// something else stands there.
TokenRange plain_column(const Draft& draft, BlockId block, TokenRange range);

/// The only column that the block groups by, or else shows: each result of it is one row at most.
/// Empty where there are several, or others.
TokenRange only_plain_column(const Draft& draft, BlockId block);

/// The list has `*` and plain columns under their own names only: a name means the column wherever
/// the server looks for it first.
bool shows_plain_columns(const Draft& draft, BlockId block);

/// The list has plain columns only, and each is one of these or those.
bool shows_only(const Draft& draft, BlockId block, const std::vector<std::string>& these,
                const std::vector<std::string>& those);

/// ORDER BY plain columns, which cover this key: of two rows one comes first for sure.
bool orders_by_key(const Draft& draft, BlockId block, TokenRange order_by,
                   const std::vector<std::string>& key);

}  // namespace isotap::sql
