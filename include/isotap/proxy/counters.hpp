#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "isotap/protocol/note.hpp"
#include "isotap/proxy/plan_outcome.hpp"

namespace isotap::proxy {

/// A number that one thread counts up and any thread reads. Cheaper than a read-modify-write,
/// because there is only one writer.
class Counter {
  public:
    void add(std::uint64_t count = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
    void subtract(std::uint64_t count = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) - count, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

  private:
    std::atomic<std::uint64_t> value_{0};
};

/// What one relay thread counts. Written by that thread, read by whoever makes metrics.
struct RelayCounters {
    Counter sessions_opened;
    Counter sessions_open;
    Counter sessions_cut;  ///< ended by us at shutdown with work in flight
    Counter dial_failures;
    Counter tls_failures;
    Counter login_timeouts;
    Counter probes;  ///< connections that left before they had said anything
    Counter bytes_from_client;
    Counter bytes_from_server;
    std::array<Counter, protocol::note_count> notes;

    Counter holds;  ///< clients that waited for a plan
    Counter holds_timed_out;
    Counter held_microseconds;
    std::array<Counter, plan_outcome_count> plans;  ///< new statements, by what came of them

    // observe
    Counter statements;
    Counter statements_failed;
    Counter transactions_committed;
    Counter transactions_aborted;
    Counter transactions_indeterminate;
    Counter deadlocks;
    Counter serialization_failures;
};

}  // namespace isotap::proxy
