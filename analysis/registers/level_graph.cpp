#include "analysis/registers/level_graph.hpp"

#include <algorithm>

namespace isotap::analysis {

LevelGraph::LevelGraph(const ResolvedHistory& history, SearchedLevel level,
                       const SearchOptions& options)
    : history_(history),
      level_(level),
      single_(level == SearchedLevel::serializable),
      vertices_(history.node_count() * (single_ ? 1 : 2)) {
    for (Node node = 0; node < history.node_count(); ++node) {
        if (!single_) {
            arcs_.push_back({snapshot(node), commit(node)});
            edges_.push_back({node, node, {}, OrderReason::session});
        }
        if (node == initial_node) {
            continue;
        }
        const Node before = history.before_in_session(node);
        if (options.session_order || before == initial_node) {
            add({before, node, {}, OrderReason::session});
        } else {
            add({initial_node, node, {}, OrderReason::session});
        }
        for (const ExternalRead& read : history.reads(node)) {
            add({read.writer, node, read.key, OrderReason::read_from});
        }
    }
    if (options.real_time_order && history.history().has_real_time) {
        add_real_time();
    }
}

/// A line of the ends of all transactions: who ended leads into it, and it leads to who began
/// later. That is one vertex a transaction instead of an arc for every pair. One whose outcome
/// nobody was told may have committed at any time after.
void LevelGraph::add_real_time() {
    const auto& transactions = history_.history().transactions;
    const auto moments = [&](Node node) { return transactions[history_.transaction(node)]; };
    std::vector<Node> by_end;
    for (Node node = 1; node < history_.node_count(); ++node) {
        if (moments(node).outcome == history::Outcome::committed) {
            by_end.push_back(node);
        }
    }
    std::stable_sort(by_end.begin(), by_end.end(),
                     [&](Node a, Node b) { return moments(a).ended < moments(b).ended; });
    const std::uint32_t first = vertices_;
    vertices_ += static_cast<std::uint32_t>(by_end.size());
    const auto step = [&](std::uint32_t from, std::uint32_t to, Node node) {
        arcs_.push_back({from, to});
        edges_.push_back({node, node, {}, OrderReason::real_time});
    };
    for (std::uint32_t i = 0; i < by_end.size(); ++i) {
        step(commit(by_end[i]), first + i, by_end[i]);
        if (i > 0) {
            step(first + i - 1, first + i, by_end[i]);
        }
    }
    for (Node node = 1; node < history_.node_count(); ++node) {
        const auto began = moments(node).began;
        const auto later = std::lower_bound(
            by_end.begin(), by_end.end(), began,
            [&](Node ended, history::Moment at) { return moments(ended).ended < at; });
        if (later != by_end.begin()) {
            step(first + static_cast<std::uint32_t>(later - by_end.begin()) - 1, snapshot(node),
                 node);
        }
    }
}

OrderGraph::Arc LevelGraph::arc(const OrderEdge& edge) const noexcept {
    if (edge.reason == OrderReason::missed) {
        return {snapshot(edge.from), commit(edge.to)};
    }
    const bool commits_only =
        edge.reason == OrderReason::overwrote && level_ == SearchedLevel::prefix;
    return {commit(edge.from), commits_only ? commit(edge.to) : snapshot(edge.to)};
}

void LevelGraph::add(const OrderEdge& edge) {
    arcs_.push_back(arc(edge));
    edges_.push_back(edge);
}

void LevelGraph::shrink(std::size_t size) {
    arcs_.resize(size);
    edges_.resize(size);
}

OrderEdges LevelGraph::cycle() const {
    const auto cycles = OrderGraph(vertices_, arcs_).cycles(1);
    OrderEdges found;
    if (cycles.empty()) {
        return found;
    }
    // Steps inside a transaction vanish; those along the line of time become one edge.
    const auto& arcs = cycles.front();
    const auto inner = [&](std::uint32_t arc) { return edges_[arc].from == edges_[arc].to; };
    const auto first = std::find_if_not(arcs.begin(), arcs.end(), inner);
    const auto start = static_cast<std::size_t>(first - arcs.begin());
    for (std::size_t i = 0; i < arcs.size(); ++i) {
        const OrderEdge& edge = edges_[arcs[(start + i) % arcs.size()]];
        if (edge.from != edge.to) {
            if (!found.empty() && found.back().to != edge.from) {
                found.push_back({found.back().to, edge.from, {}, OrderReason::real_time});
            }
            found.push_back(edge);
        }
    }
    if (!found.empty() && found.back().to != found.front().from) {
        const Node to = found.front().from;
        found.push_back({found.back().to, to, {}, OrderReason::real_time});
    }
    return found;
}

std::vector<Node> LevelGraph::commits() const {
    const std::vector<std::uint32_t> order = OrderGraph(vertices_, arcs_).topological_order();
    std::vector<Node> commits;
    commits.reserve(history_.node_count());
    if (order.size() < vertices_) {
        return commits;
    }
    const std::uint32_t own = history_.node_count() * (single_ ? 1 : 2);
    for (const std::uint32_t vertex : order) {
        if (vertex < own && (single_ || vertex % 2 == 1)) {
            commits.push_back(single_ ? vertex : vertex / 2);
        }
    }
    return commits;
}

}  // namespace isotap::analysis
