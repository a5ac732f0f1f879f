#pragma once

#include <cstddef>
#include <future>
#include <vector>

#include "tests/integration/truth/said.hpp"

namespace isotap::test {

/// Runs a `Worker(options, number)` for each worker that is wanted, all at once. Throws what the
/// first of them throws.
template <typename Worker>
std::vector<WorkerLog> run_workers(const WorkloadOptions& options) {
    std::vector<std::future<WorkerLog>> running;
    running.reserve(static_cast<std::size_t>(options.workers));
    for (int number = 0; number < options.workers; ++number) {
        running.push_back(std::async(std::launch::async, [&options, number] {
            return Worker(options, number).run(options.statements);
        }));
    }
    std::vector<WorkerLog> logs;
    logs.reserve(running.size());
    for (std::future<WorkerLog>& worker : running) {
        logs.push_back(worker.get());
    }
    return logs;
}

}  // namespace isotap::test
