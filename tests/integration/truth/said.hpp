#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isotap::test {

/// What every row of a workload's tables carries in its column `stamp`: the statement that wrote
/// it. Rows of before the workload have a stamp below zero.
struct Stamp {
    static constexpr std::int64_t per_worker = 100'000'000;

    int worker = 0;
    std::size_t statement = 0;  ///< of the worker's session, from 0

    [[nodiscard]] std::int64_t value() const noexcept {
        return worker * per_worker + static_cast<std::int64_t>(statement);
    }
    static Stamp from(std::int64_t value) noexcept {
        return {static_cast<int>(value / per_worker), static_cast<std::size_t>(value % per_worker)};
    }
};

/// A row that a client was shown.
struct SeenRow {
    std::string table;  ///< schema.name
    std::string key;    ///< its parts with a NUL between them
    std::int64_t stamp = 0;
};

/// What became of one statement, as its client saw it.
struct SaidStatement {
    bool completed = false;
    std::vector<SeenRow> seen;  ///< of those that show what they read
};

/// What one worker said. Worker n calls itself `worker-n`.
struct WorkerLog {
    std::vector<SaidStatement> statements;      ///< in the order of the session
    std::map<std::string, std::size_t> errors;  ///< how often, by the server's name for it
};

struct WorkloadOptions {
    std::uint16_t port = 0;
    int workers = 8;
    std::size_t statements = 1'000;  ///< of each worker, at least
    std::uint64_t seed = 1;
};

/// Enough statements to have seen everything that may happen.
inline constexpr std::size_t long_run = 20'000;

/// How many to run: ISOTAP_TRUTH_STATEMENTS asks for more of them.
std::size_t statements_wanted();

}  // namespace isotap::test
