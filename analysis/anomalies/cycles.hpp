#pragma once

#include <array>
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
    bool reads_before_writes = true;           ///< cycles with rw arcs at all
    std::size_t witnesses_per_component = 64;  ///< of each pattern
    std::uint64_t work_per_arc = 64;           ///< steps of searches in a large component
    /// Edges from this one on were not there when all was searched last: a component without such
    /// an edge has no cycle that was not told.
    Slot first_fresh_edge = 0;
};

/// Looks at every arc that lies on a cycle and tells the smallest cycles through it. One cycle is
/// told as often as it has arcs to begin with.
///
/// Where time runs out, what is fresh has been looked at first. What is common must not hide what
/// is rare: each pattern has a number of witnesses of its own, and those that any rw arc may be
/// part of have their own time.
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
    /// How much of the search of a component is left, for the patterns of one kind.
    struct Allowance {
        std::uint64_t steps = 0;
        [[nodiscard]] bool spent() const noexcept { return steps == 0; }
        void take(std::uint64_t used) noexcept { steps -= used < steps ? used : steps; }
    };

    void look_into(std::uint32_t component);
    void look_at(std::uint32_t component, bool fresh);
    void through(SearchGraph::Node from, const SearchGraph::Arc& arc);
    void through_read(SearchGraph::Node from, const SearchGraph::Arc& arc);
    [[nodiscard]] bool is_fresh(const SearchGraph::Arc& arc) const noexcept {
        return arc.edge != no_slot && arc.edge >= options_.first_fresh_edge;
    }
    [[nodiscard]] std::uint32_t& told(CyclePattern pattern) noexcept;
    [[nodiscard]] bool told_enough(CyclePattern pattern) noexcept;
    void try_pattern(SearchGraph::Node from, const SearchGraph::Arc& arc, CyclePattern pattern);

    const SearchGraph& graph_;
    const Components& components_;
    CycleOptions options_;
    std::vector<Order> orders_;  ///< between transactions, that cycles may use
    Tell tell_;
    TellExcused tell_excused_;
    Components informed_;  ///< without rw arcs: where G0 and G1c can be
    CycleSearch search_;
    ModelSet broken_;       ///< by what was told of the arc at hand
    bool skipped_ = false;  ///< a pattern that might have been found there
    // Of the component at hand.
    bool predicates_ = false;
    bool excusable_ = false;
    Allowance narrow_;  ///< for patterns that follow no second rw arc
    Allowance wide_;
    std::array<std::uint32_t, cycle_shape_count * 2 * order_count> told_{};
    /// By node, and whether by predicate: the last turn that tried an rw arc which leads there. Of
    /// several between the same two nodes, they all lie on the same cycles.
    std::vector<std::uint32_t> tried_;
    std::uint32_t turn_ = 0;
    std::uint64_t passed_over_ = 0;
};

}  // namespace isotap::analysis
