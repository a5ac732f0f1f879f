#pragma once

#include <vector>

#include "tests/integration/truth/said.hpp"

namespace isotap::test {

/// The schema that it needs, with rows.
extern const char* const workload_schema;

/// Many clients on few rows: reads of all kinds and writes, one by one and in transactions of all
/// levels, with savepoints, in all ways in which the protocol sends statements. They wait for one
/// another, deadlock, fail to serialize, fail half-way. Worker n calls itself `worker-n`.
/// Throws on an error that it does not provoke.
std::vector<WorkerLog> run_workload(const WorkloadOptions& options);

}  // namespace isotap::test
