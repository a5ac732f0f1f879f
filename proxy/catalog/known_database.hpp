#pragma once

#include <atomic>
#include <cstdint>

namespace isotap::proxy {

/// What plan books and the catalog thread tell one another about one database (MySQL family: one
/// server, whose statements may name any database of it). Any thread.
struct KnownDatabase {
    /// Goes up when the schema has changed, or may have: plans of an older number are not used.
    std::atomic<std::uint64_t> generation{1};

    /// When the catalog thread last saw that nothing has changed behind our back; as
    /// `steady_ms` counts.
    std::atomic<std::int64_t> checked{0};

    /// When a plan was last asked for.
    std::atomic<std::int64_t> used{0};
};

/// How long after a check plans are used without another one. The catalog thread checks more often
/// while there is traffic, so this is reached after pauses and when the server is slow.
inline constexpr std::int64_t check_lasts_ms = 3'000;

}  // namespace isotap::proxy
