#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/sql/draft.hpp"

namespace isotap::sql {

/// What an INSERT of the MySQL family brings.
struct StampedInsert {
    std::string_view obstacle;    ///< why its rows cannot bear a stamp; empty when they do
    std::size_t rows = 0;         ///< of VALUES or SET; 0: those of a query
    bool sets_insert_id = false;  ///< the column that numbers itself may get a value of the client
    /// Relations of the SELECT that is inserted from, all of it or none: the n-th one's rows since
    /// the last returned row are in the variable @isotap_read<n>, packed.
    std::vector<const Relation*> read;
};

/// Makes every row that the statement inserts name its writer, in the column of wList itself: a
/// DEFAULT that asks a user variable is computed once per opened table and then wrong.
/// `row_id` gives each row its name; empty: the server does. With it no rows of a source are noted,
/// and it is made once for each of them, or there is an obstacle.
StampedInsert stamp_mysql_insert(Draft& draft, const Block& block, const Table& table,
                                 const std::string& row_id = {});

}  // namespace isotap::sql
