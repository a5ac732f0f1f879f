#pragma once

#include <cstdint>

#include "isotap/history/ids.hpp"

namespace isotap::history {

/// Gives out transaction ids that no other thread, proxy or run gives out: the run tag, which the
/// caller draws at random once, then the number of the relay thread, then a count. One thread.
class TransactionIds {
  public:
    static constexpr unsigned count_bits = 34;
    static constexpr unsigned thread_bits = 6;
    static constexpr unsigned run_bits = 23;  // the top bit stays clear: ids fit a signed BIGINT

    TransactionIds(std::uint32_t run_tag, std::uint32_t thread) noexcept
        : next_(std::uint64_t{run_tag & ((1U << run_bits) - 1)} << (count_bits + thread_bits) |
                std::uint64_t{thread & ((1U << thread_bits) - 1)} << count_bits) {}

    TransactionId next() noexcept { return TransactionId{++next_}; }

  private:
    std::uint64_t next_;
};

}  // namespace isotap::history
