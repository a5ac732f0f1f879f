#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace isotap::test {

/// One row that a transaction changed, as the server's log has it. A column is empty where the row
/// has none (NULL) or where there is no row: before an insert, after a delete.
struct RowChange {
    enum class Kind : std::uint8_t { insert, update, remove };
    using Columns = std::vector<std::optional<std::string>>;

    std::string table;  ///< schema.name
    Kind kind = Kind::insert;
    Columns before;
    Columns after;
};

/// What a transaction that committed has changed, in the order in which it did. Subtransactions are
/// part of it; what was rolled back is not.
struct CommittedTransaction {
    std::uint64_t number = 0;  ///< the server's, of the top-level transaction
    std::vector<RowChange> changes;
};

}  // namespace isotap::test
