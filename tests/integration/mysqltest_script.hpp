#pragma once

#include <string>
#include <vector>

namespace isotap::sql {

/// The SQL statements of a mysqltest script, in order, without what the test driver keeps for
/// itself (commands, blocks, `--` lines). Variables of the driver are not filled in: statements
/// that use them will not prepare.
std::vector<std::string> statements_of_mysqltest(const std::string& path);

}  // namespace isotap::sql
