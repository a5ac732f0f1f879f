#pragma once

#include <string>
#include <vector>

#include "tests/integration/truth/said.hpp"

namespace isotap::test {

/// The schema that it needs in the database `shop`, with rows, and the users who run it. The tables
/// have no columns of isotap's yet.
std::string mysql_workload_schema(int workers);

/// Many clients on few rows of a server of the MySQL family: reads of all kinds and writes, one by
/// one and in transactions of three levels, with savepoints, as texts and prepared. They wait for
/// one another, deadlock, wait too long, fail half-way. Worker n logs in as user `worker-n`.
/// Throws on an error that it does not provoke.
std::vector<WorkerLog> run_mysql_workload(const WorkloadOptions& options);

}  // namespace isotap::test
