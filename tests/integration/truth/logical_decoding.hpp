#pragma once

#include <vector>

#include "tests/integration/truth/row_change.hpp"
#include "tests/support/postgres_server.hpp"

namespace isotap::test {

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
