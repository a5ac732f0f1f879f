#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/graph/search_graph.hpp"

namespace isotap::analysis {

/// What a cycle through one given arc must look like.
struct CyclePattern {
    enum class Shape : std::uint8_t {
        writes,       ///< ww only
        information,  ///< ww and wr
        same_row,     ///< behind an rw arc, ww of the same row only
        fractured,    ///< behind an rw arc, ww of the same row, then one wr (or session arcs)
        causal,       ///< behind an rw arc, ww of the same row, then wr (and session arcs)
        single,       ///< behind an rw arc, no other rw
        nonadjacent,  ///< no two rw arcs follow one another, the first and the last included
        any,
    };
    Shape shape = Shape::any;
    bool predicates = false;  ///< rw arcs by predicate may be used
    Order order = Order::none;
};
inline constexpr std::size_t cycle_shape_count = 8;

/// Behind the first arc of such a cycle, no other is rw.
constexpr bool informs_behind_first(CyclePattern::Shape shape) noexcept {
    return shape != CyclePattern::Shape::nonadjacent && shape != CyclePattern::Shape::any;
}

/// Finds smallest cycles: fewest arcs, then fewest rw arcs. Keeps its memory from search to search.
class CycleSearch {
  public:
    using Node = SearchGraph::Node;

    /// `informed`: components without rw arcs, which may be filled in until the first search.
    /// `excuse`: a current read in a snapshot transaction does not close a cycle with a plain read
    /// of the same transaction.
    CycleSearch(const SearchGraph& graph, const Components& components, const Components& informed,
                bool excuse);

    /// The smallest cycle of that pattern that begins with `arc`, which leaves `from`; empty if
    /// there is none. Each step is an arc and where it begins.
    struct Step {
        Node from = 0;
        const SearchGraph::Arc* arc = nullptr;
    };
    std::vector<Step> through(Node from, const SearchGraph::Arc& arc, CyclePattern pattern);

    /// Steps taken by all searches so far, so that somebody can put a bound to them.
    [[nodiscard]] std::uint64_t work() const noexcept { return work_; }

  private:
    /// What matters of the way that led to a node.
    enum State : std::uint8_t { plain, after_rw, after_excusable, information, session, refused };
    static constexpr std::size_t state_count = 5;
    struct Visit {
        std::uint32_t stamp = 0;
        std::uint32_t length = 0;
        std::uint32_t rw = 0;
        std::uint32_t parent = 0;  ///< key of where it came from
        const SearchGraph::Arc* arc = nullptr;
    };

    [[nodiscard]] State step(State state, const SearchGraph::Arc& arc) const noexcept;
    [[nodiscard]] State step_in_shape(State state, const SearchGraph::Arc& arc) const noexcept;
    [[nodiscard]] bool may_end_in(State state) const noexcept;
    [[nodiscard]] State first_state() const noexcept;
    [[nodiscard]] bool reach(Node from, Node target, State& ended_in);
    [[nodiscard]] std::uint32_t key(Node node, State state) const noexcept {
        return static_cast<std::uint32_t>(components_.rank[node] * state_count + state);
    }
    [[nodiscard]] Node node_of(std::uint32_t key) const noexcept {
        return members_[key / state_count];
    }
    [[nodiscard]] std::vector<Step> walked(Node from, const SearchGraph::Arc& arc,
                                           State ended_in) const;

    const SearchGraph& graph_;
    const Components& components_;
    const Components& informed_;
    bool excuse_;
    CyclePattern pattern_;
    Slot row_ = no_slot;
    std::uint32_t least_informed_ = 0;  ///< nodes below do not lead to where the cycle closes
    std::uint32_t stamp_ = 0;
    std::uint64_t work_ = 0;
    std::span<const Node> members_;  ///< of the component that is searched
    std::vector<Visit> visits_;      ///< by key
    std::vector<std::uint32_t> layer_;
    std::vector<std::uint32_t> next_layer_;
};

}  // namespace isotap::analysis
