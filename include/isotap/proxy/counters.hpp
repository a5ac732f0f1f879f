#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
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

/// How long something took: how often it was within each bound, and all of it together. Written by
/// one thread, read by any.
class Durations {
  public:
    /// In microseconds; what took longer than the last one is counted behind it.
    static constexpr std::array<std::uint32_t, 9> bounds{5,   10,    20,    50,    100,
                                                         250, 1'000, 5'000, 25'000};

    void add(std::chrono::nanoseconds took) noexcept {
        std::size_t place = 0;
        while (place < bounds.size() && took > std::chrono::microseconds(bounds[place])) {
            ++place;
        }
        counts_[place].add();
        nanoseconds_.add(static_cast<std::uint64_t>(took.count()));
    }
    /// How often it was within the bound of that place and beyond the one before.
    [[nodiscard]] std::uint64_t count(std::size_t place) const noexcept {
        return counts_[place].value();
    }
    [[nodiscard]] std::uint64_t nanoseconds() const noexcept { return nanoseconds_.value(); }

  private:
    std::array<Counter, bounds.size() + 1> counts_;
    Counter nanoseconds_;
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
    Durations handling;  ///< from bytes that have come to what was made of them on its way
    Counter statements;
    Counter statements_failed;
    Counter transactions_committed;
    Counter transactions_aborted;
    Counter transactions_indeterminate;
    Counter deadlocks;
    Counter serialization_failures;
};

}  // namespace isotap::proxy
