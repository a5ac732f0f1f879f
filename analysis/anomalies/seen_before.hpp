#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <boost/unordered/unordered_flat_set.hpp>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/dependencies/mix.hpp"

namespace isotap::analysis {

/// Which cycles were told, so that each is told once however often it is found. Remembers as long
/// as a cycle keeps being found, and for one more generation.
class SeenBefore {
  public:
    /// True if it was asked about the same cycle before, wherever that begins.
    bool check(AnomalyKind kind, std::span<const history::TransactionId> cycle) {
        const std::uint64_t mark = mark_of(kind, cycle);
        const bool older = older_.contains(mark);
        return !recent_.insert(mark).second || older;
    }

    void grow_older() {
        if (recent_.size() >= generation) {
            older_ = std::exchange(recent_, {});
        }
    }

  private:
    static constexpr std::size_t generation = 1U << 16U;

    static std::uint64_t mark_of(AnomalyKind kind, std::span<const history::TransactionId> cycle) {
        std::uint64_t mark =
            mix(static_cast<std::uint64_t>(kind.type),
                static_cast<std::uint64_t>(kind.order) * 2 + (kind.predicate ? 1 : 0));
        const auto start = std::min_element(cycle.begin(), cycle.end()) - cycle.begin();
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const auto at = (static_cast<std::size_t>(start) + i) % cycle.size();
            mark = mix(mark, static_cast<std::uint64_t>(cycle[at]));
        }
        return mark;
    }

    boost::unordered_flat_set<std::uint64_t> recent_;
    boost::unordered_flat_set<std::uint64_t> older_;
};

}  // namespace isotap::analysis
