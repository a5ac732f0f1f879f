#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// An expression over the relations of a block that tells something of rows of a table.
struct Told {
    ColumnRole role = ColumnRole::key;
    std::size_t table = 0;  ///< index into `Plan::tables`
    std::string text;
    bool plain = false;  ///< a part of a key that can be packed as it is
};

/// Key and version of a row of `table`, which enters the plan.
void tell_rows(Draft& draft, const Table& table, const std::string& qualifier,
               history::AccessKind kind, std::vector<Told>& told);

/// Packed, for MySQL: each row once, however often it is found.
Told each_once(Told packed);

/// What is packed in every row of a result, for MySQL: it would be too much where it is long.
Told if_short(Told packed);

/// What is told row by row, packed: one aggregate for each table.
std::vector<Told> packed(const std::vector<Told>& rows, Dialect dialect);

}  // namespace isotap::sql
