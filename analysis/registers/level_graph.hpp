#pragma once

#include <span>
#include <vector>

#include "analysis/registers/order_edge.hpp"
#include "analysis/registers/order_graph.hpp"
#include "analysis/registers/version_order_search.hpp"

namespace isotap::analysis {

/// A history as a graph whose cycles are what a level forbids.
///
/// Serializable: one vertex a transaction. Below it, two: where its snapshot is taken and where it
/// commits. What it saw committed before its snapshot; what it missed committed after it. A cycle
/// needs two rw steps in a row to get from a snapshot to a commit and no further: those are the
/// cycles that snapshot isolation permits. Prefix consistency also permits writers of one key to
/// overlap, so only their commits are ordered.
class LevelGraph {
  public:
    LevelGraph(const ResolvedHistory& history, SearchedLevel level, const SearchOptions& options);

    [[nodiscard]] std::uint32_t vertices() const noexcept { return vertices_; }
    [[nodiscard]] const std::vector<OrderGraph::Arc>& arcs() const noexcept { return arcs_; }

    void add(const OrderEdge& edge);
    /// Takes back what was added after the first `size`.
    void shrink(std::size_t size);

    [[nodiscard]] OrderGraph::Arc arc(const OrderEdge& edge) const noexcept;
    [[nodiscard]] std::uint32_t commit(Node node) const noexcept {
        return single_ ? node : 2 * node + 1;
    }

    /// A short cycle as edges between transactions; empty if there is none.
    [[nodiscard]] OrderEdges cycle() const;
    /// The transactions by the place of their commits; shorter if there is a cycle.
    [[nodiscard]] std::vector<Node> commits() const;

  private:
    [[nodiscard]] std::uint32_t snapshot(Node node) const noexcept {
        return single_ ? node : 2 * node;
    }
    void add_real_time();

    const ResolvedHistory& history_;
    SearchedLevel level_;
    bool single_;
    std::uint32_t vertices_;
    std::vector<OrderGraph::Arc> arcs_;
    OrderEdges edges_;  ///< what each arc stands for; from = to: a step of time or of a transaction
};

}  // namespace isotap::analysis
