#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/graph/cycle_search.hpp"

namespace isotap::analysis {

/// What to look for, and how long.
struct CycleOptions {
    bool session_order = true;
    bool real_time_order = false;
    bool excuse_current_reads = true;
    bool reads_before_writes = true;  ///< cycles with rw arcs at all
    std::size_t witnesses_per_component = 64;
};

/// Looks at every arc that lies on a cycle and tells the smallest cycle of the most telling pattern
/// through it. One cycle is told as often as it has arcs to begin with.
class CycleFinder {
  public:
    using Tell = std::function<void(AnomalyKind, const std::vector<CycleSearch::Step>&)>;
    /// Called with both ends of an rw arc that lies only on cycles which are excused.
    using TellExcused = std::function<void(SearchGraph::Node, SearchGraph::Node)>;

    CycleFinder(const SearchGraph& graph, const Components& components, CycleOptions options,
                Tell tell, TellExcused tell_excused);

    void run();

    /// Arcs on cycles that were passed over because enough had been told.
    [[nodiscard]] std::uint64_t passed_over() const noexcept { return passed_over_; }

  private:
    void look_into(std::uint32_t component);
    bool through(SearchGraph::Node from, const SearchGraph::Arc& arc);
    bool through_read(SearchGraph::Node from, const SearchGraph::Arc& arc);
    bool try_pattern(SearchGraph::Node from, const SearchGraph::Arc& arc, CyclePattern pattern);
    [[nodiscard]] std::vector<Order> orders() const;

    const SearchGraph& graph_;
    const Components& components_;
    CycleOptions options_;
    Tell tell_;
    TellExcused tell_excused_;
    Components informed_;  ///< without rw arcs: where G0 and G1c can be
    CycleSearch search_;
    bool predicates_ = false;
    bool excusable_ = false;
    std::uint64_t passed_over_ = 0;
};

}  // namespace isotap::analysis
