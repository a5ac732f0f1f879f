#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isotap/base/clock.hpp"

#include "analysis/graph/dependency_graph.hpp"

namespace isotap::analysis {

/// What a search for cycles needs of the graph at one moment, packed: nodes are numbered from 0,
/// arcs lie beside one another. Built anew for each search, in time proportional to the graph.
///
/// Real-time order is a chain of nodes that stand for moments, one for each end of a transaction:
/// end -> moment -> … -> moment -> beginning. So it costs one node and three arcs per transaction
/// instead of one edge per pair.
class SearchGraph {
  public:
    using Node = std::uint32_t;

    struct Arc {
        Node to = 0;
        Slot edge = no_slot;  ///< in the dependency graph; none for the passing of time
        Slot row = no_slot;
        EdgeKind kind = EdgeKind::ww;
        bool predicate = false;
        bool excusable = false;  ///< a current read inside a snapshot transaction
        bool decides = false;    ///< the same, and a write went by it: no look at the snapshot
    };
    struct Member {
        Slot transaction = no_slot;
        Time began{};
        Time ended{};
        bool snapshot = false;  ///< its plain reads come from a snapshot
    };

    SearchGraph(const DependencyGraph& graph, std::span<const Member> members, bool real_time);

    [[nodiscard]] std::size_t size() const noexcept { return first_.size() - 1; }
    /// None for a moment.
    [[nodiscard]] Slot transaction(Node node) const noexcept {
        return node < transactions_.size() ? transactions_[node] : no_slot;
    }
    [[nodiscard]] std::span<const Arc> from(Node node) const noexcept {
        return std::span{arcs_}.subspan(first_[node], first_[node + 1] - first_[node]);
    }

  private:
    void add_edges(const DependencyGraph& graph, std::span<const Member> members);
    void add_moments(std::span<const Member> members);

    std::vector<Slot> transactions_;
    std::vector<std::size_t> first_;
    std::vector<Arc> arcs_;
};

/// Which nodes reach one another. Numbers are such that an arc never leads to a larger one.
struct Components {
    std::vector<std::uint32_t> of;           ///< by node
    std::vector<std::uint32_t> rank;         ///< by node: its place among the members of its own
    std::vector<SearchGraph::Node> members;  ///< of the first component, of the second …
    std::vector<std::uint32_t> first;        ///< in `members`; one more at the end

    [[nodiscard]] std::uint32_t count() const noexcept {
        return static_cast<std::uint32_t>(first.size() - 1);
    }
    [[nodiscard]] std::span<const SearchGraph::Node> nodes(std::uint32_t component) const noexcept {
        const std::size_t begin = first[component];
        return std::span{members}.subspan(begin, first[component + 1] - begin);
    }
};

/// Tarjan's algorithm over the arcs for which `counts` says so, without recursion.
Components components_of(const SearchGraph& graph, bool (*counts)(const SearchGraph::Arc&));

}  // namespace isotap::analysis
