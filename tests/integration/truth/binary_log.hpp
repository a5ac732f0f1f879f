#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/integration/truth/row_change.hpp"
#include "tests/support/mysql_server.hpp"

namespace isotap::test {

/// What a server of the MySQL family itself says was committed: its binary log, read from its
/// files. Rows with full images, of integers and texts.
class BinaryLog {
  public:
    /// How a server has to be started.
    static std::vector<std::string> settings();

    /// Takes what was logged so far for seen.
    explicit BinaryLog(const MysqlServer& server);

    /// All transactions since then that changed rows, in the order of their commits. Throws on what
    /// it cannot read.
    void read(const std::function<void(const CommittedTransaction&)>& take) const;

  private:
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> seen_;
};

}  // namespace isotap::test
