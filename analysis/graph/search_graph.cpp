#include "analysis/graph/search_graph.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace isotap::analysis {

SearchGraph::SearchGraph(const DependencyGraph& graph, std::span<const Member> members,
                         bool real_time) {
    transactions_.reserve(members.size());
    for (const Member& member : members) {
        transactions_.push_back(member.transaction);
    }
    first_.reserve((real_time ? 2 : 1) * members.size() + 1);
    if (real_time) {
        add_moments(members);
    }
    add_edges(graph, members);
}

void SearchGraph::add_edges(const DependencyGraph& graph, std::span<const Member> members) {
    Slot largest = 0;
    for (const Member& member : members) {
        largest = std::max(largest, member.transaction);
    }
    std::vector<Node> node_of(std::size_t{largest} + 1, 0);
    for (Node node = 0; node < members.size(); ++node) {
        node_of[members[node].transaction] = node;
    }

    // Arcs of moments, if any, are there already and in the order of their nodes.
    const std::vector<Arc> moments = std::move(arcs_);
    const std::vector<std::size_t> moment_first = std::move(first_);
    first_.assign(std::max(members.size() + 1, moment_first.size()), 0);
    for (const Dependency& edge : graph.edges()) {
        ++first_[node_of[edge.from] + 1];
    }
    for (std::size_t node = 0; node + 1 < first_.size(); ++node) {
        const bool has_moments = node + 1 < moment_first.size();
        first_[node + 1] +=
            first_[node] + (has_moments ? moment_first[node + 1] - moment_first[node] : 0);
    }
    arcs_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), std::prev(first_.end()));
    for (Slot at = 0; at < graph.edges().size(); ++at) {
        const Dependency& edge = graph[at];
        const Node to = node_of[edge.to];
        const bool current = edge.kind == EdgeKind::wr && edge.current_read && members[to].snapshot;
        arcs_[next[node_of[edge.from]]++] = {to,
                                             at,
                                             edge.row,
                                             edge.kind,
                                             edge.predicate,
                                             current && !edge.decides,
                                             current && edge.decides};
    }
    for (std::size_t node = 0; node + 1 < moment_first.size(); ++node) {
        const auto from = moments.begin() + static_cast<std::ptrdiff_t>(moment_first[node]);
        const auto end = moments.begin() + static_cast<std::ptrdiff_t>(moment_first[node + 1]);
        std::copy(from, end, arcs_.begin() + static_cast<std::ptrdiff_t>(next[node]));
    }
}

void SearchGraph::add_moments(std::span<const Member> members) {
    const auto count = static_cast<Node>(members.size());
    std::vector<Node> by_end(count);
    std::vector<Node> by_begin(count);
    for (Node node = 0; node < count; ++node) {
        by_end[node] = node;
        by_begin[node] = node;
    }
    std::stable_sort(by_end.begin(), by_end.end(),
                     [members](Node a, Node b) { return members[a].ended < members[b].ended; });
    std::stable_sort(by_begin.begin(), by_begin.end(),
                     [members](Node a, Node b) { return members[a].began < members[b].began; });

    const auto arc_to = [](Node to) {
        return Arc{to, no_slot, no_slot, EdgeKind::real_time, false, false};
    };
    std::vector<Node> moment_of(count);
    for (Node at = 0; at < count; ++at) {
        moment_of[by_end[at]] = count + at;
    }
    for (Node node = 0; node < count; ++node) {
        first_.push_back(arcs_.size());
        arcs_.push_back(arc_to(moment_of[node]));
    }
    std::size_t next_begin = 0;
    // Nothing ended before those that began no later than the first end.
    while (next_begin < count &&
           !(members[by_end[0]].ended < members[by_begin[next_begin]].began)) {
        ++next_begin;
    }
    for (Node at = 0; at < count; ++at) {
        first_.push_back(arcs_.size());
        const bool last = at + 1 == count;
        if (!last) {
            arcs_.push_back(arc_to(count + at + 1));
        }
        while (next_begin < count &&
               (last || !(members[by_end[at + 1]].ended < members[by_begin[next_begin]].began))) {
            arcs_.push_back(arc_to(by_begin[next_begin]));
            ++next_begin;
        }
    }
    first_.push_back(arcs_.size());
}

namespace {

/// Tarjan's algorithm with a path of its own: a graph may be deeper than the stack.
class ComponentSearch {
  public:
    using Node = SearchGraph::Node;

    ComponentSearch(const SearchGraph& graph, bool (*counts)(const SearchGraph::Arc&))
        : graph_(graph), counts_(counts), low_(graph.size(), unseen), index_(graph.size(), unseen) {
        result_.of.assign(graph.size(), unseen);
        result_.rank.assign(graph.size(), 0);
        result_.members.reserve(graph.size());
        result_.first.push_back(0);
    }

    Components run() {
        for (Node root = 0; root < graph_.size(); ++root) {
            if (index_[root] == unseen) {
                enter(root);
                while (!path_.empty()) {
                    if (!descend()) {
                        leave();
                    }
                }
            }
        }
        return std::move(result_);
    }

  private:
    static constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();

    struct Frame {
        Node node;
        std::uint32_t next_arc;
    };

    void enter(Node node) {
        index_[node] = low_[node] = seen_++;
        open_.push_back(node);
        path_.push_back({node, 0});
    }

    /// Goes on with the arcs of the last node; true when one of them led to a new node.
    bool descend() {
        Frame& at = path_.back();
        const auto arcs = graph_.from(at.node);
        while (at.next_arc < arcs.size()) {
            const SearchGraph::Arc& arc = arcs[at.next_arc++];
            if (!counts_(arc)) {
                continue;
            }
            if (index_[arc.to] == unseen) {
                enter(arc.to);
                return true;
            }
            if (result_.of[arc.to] == unseen) {
                low_[at.node] = std::min(low_[at.node], index_[arc.to]);
            }
        }
        return false;
    }

    void leave() {
        const Node node = path_.back().node;
        if (low_[node] == index_[node]) {
            take_component(node);
        }
        path_.pop_back();
        if (!path_.empty()) {
            const Node before = path_.back().node;
            low_[before] = std::min(low_[before], low_[node]);
        }
    }

    void take_component(Node first_seen) {
        const std::uint32_t component = result_.count();
        for (bool more = true; more;) {
            const Node member = open_.back();
            more = member != first_seen;
            open_.pop_back();
            result_.of[member] = component;
            result_.rank[member] =
                static_cast<std::uint32_t>(result_.members.size()) - result_.first.back();
            result_.members.push_back(member);
        }
        result_.first.push_back(static_cast<std::uint32_t>(result_.members.size()));
    }

    const SearchGraph& graph_;
    bool (*counts_)(const SearchGraph::Arc&);
    Components result_;
    std::vector<std::uint32_t> low_;
    std::vector<std::uint32_t> index_;
    std::vector<Node> open_;  ///< seen, not yet in a component
    std::vector<Frame> path_;
    std::uint32_t seen_ = 0;
};

}  // namespace

Components components_of(const SearchGraph& graph, bool (*counts)(const SearchGraph::Arc&)) {
    return ComponentSearch(graph, counts).run();
}

}  // namespace isotap::analysis
