#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/postgres_server.hpp"

namespace isotap::test {

/// One row that a transaction changed. A column is empty where the row has none (NULL) or where
/// there is no row: before an insert, after a delete.
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
    std::uint32_t number = 0;  ///< the server's, of the top-level transaction
    std::vector<RowChange> changes;
};

/// What the server itself says was committed: its write-ahead log, decoded. The tables must have
/// full replica identity. From construction on.
class LogicalDecoding {
  public:
    explicit LogicalDecoding(PostgresServer& server);

    /// All transactions since then, in the order of their commits. Throws on what it cannot read.
    std::vector<CommittedTransaction> read();

  private:
    PostgresServer& server_;
};

}  // namespace isotap::test
