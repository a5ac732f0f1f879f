#include "analysis/registers/version_order_search.hpp"

#include <algorithm>
#include <optional>

#include "analysis/registers/commit_order.hpp"
#include "analysis/registers/level_graph.hpp"
#include "analysis/registers/reachability.hpp"

namespace isotap::analysis {

namespace {

using history::KeyId;
using history::position;
using Kind = SearchAnswer::Kind;

/// A key, one who wrote it, and those who saw that.
struct VersionOf {
    Node writer = 0;
    std::vector<Node> readers;
};

/// Two writers of a key whose order is not known.
struct Pair {
    std::uint32_t key = 0;
    std::uint32_t first = 0;  ///< positions among the versions of the key
    std::uint32_t second = 0;
};

class Search {
  public:
    Search(const ResolvedHistory& history, SearchedLevel level, const SearchOptions& options)
        : history_(history),
          options_(options),
          graph_(history, level, options),
          versions_(history.key_count()) {}

    SearchAnswer run() {
        collect_versions();
        add_certain();
        if (OrderEdges cycle = graph_.cycle(); !cycle.empty()) {
            return violated(std::move(cycle), false);
        }
        if (auto commits = guess()) {
            return {Kind::holds, {}, {}, false, std::move(*commits)};
        }
        if (history_.node_count() > options_.transactions_max) {
            return unknown("transactions");
        }
        return solve();
    }

  private:
    static SearchAnswer violated(OrderEdges cycle, bool many) {
        return {Kind::violated, {}, std::move(cycle), many, {}};
    }
    static SearchAnswer unknown(std::string_view bound) {
        return {Kind::unknown, bound, {}, false, {}};
    }

    void collect_versions() {
        for (Node node = 1; node < history_.node_count(); ++node) {
            for (const FinalWrite& write : history_.writes(node)) {
                versions_[position(write.key)].push_back({node, {}});
            }
        }
        for (Node node = 1; node < history_.node_count(); ++node) {
            for (const ExternalRead& read : history_.reads(node)) {
                if (read.writer == initial_node) {
                    initial_reads_.push_back({node, read.key});
                    continue;
                }
                auto& of_key = versions_[position(read.key)];
                const auto at = std::lower_bound(
                    of_key.begin(), of_key.end(), read.writer,
                    [](const VersionOf& version, Node writer) { return version.writer < writer; });
                if (at->readers.empty() || at->readers.back() != node) {
                    at->readers.push_back(node);
                }
            }
        }
    }

    /// Who saw the initial state came before everybody who wrote the key; and what causality
    /// orders, every level above it does.
    void add_certain() {
        for (const auto& [reader, key] : initial_reads_) {
            for (const VersionOf& version : versions_[position(key)]) {
                if (version.writer != reader) {
                    graph_.add({reader, version.writer, key, OrderReason::missed});
                }
            }
        }
        if (options_.session_order) {
            if (const auto causal = causal_order(history_)) {
                for (const OrderEdge& edge : *causal) {
                    graph_.add(edge);
                }
            }
        }
    }

    void add_order(KeyId key, const VersionOf& earlier, const VersionOf& later) {
        graph_.add({earlier.writer, later.writer, key, OrderReason::overwrote});
        for (const Node reader : earlier.readers) {
            if (reader != later.writer) {
                graph_.add({reader, later.writer, key, OrderReason::missed});
            }
        }
    }

    /// Most databases do order the writes of a key as they commit: try that first. An order without
    /// a cycle is a proof, however it was found.
    std::optional<std::vector<Node>> guess() {
        std::vector<std::uint32_t> rank(history_.node_count());
        const std::size_t known = graph_.arcs().size();
        if (history_.history().has_real_time) {
            std::vector<Node> by_end(history_.node_count());
            for (Node node = 0; node < history_.node_count(); ++node) {
                by_end[node] = node;
            }
            const auto ended = [&](Node node) {
                return history_.history().transactions[history_.transaction(node)].ended;
            };
            std::stable_sort(by_end.begin() + 1, by_end.end(),
                             [&](Node a, Node b) { return ended(a) < ended(b); });
            if (auto commits = guess_by(by_end, rank, known)) {
                return commits;
            }
        }
        return guess_by(graph_.commits(), rank, known);
    }

    std::optional<std::vector<Node>> guess_by(const std::vector<Node>& order,
                                              std::vector<std::uint32_t>& rank, std::size_t known) {
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            rank[order[i]] = i;
        }
        std::vector<const VersionOf*> sorted;
        for (std::size_t key = 0; key < versions_.size(); ++key) {
            sorted.clear();
            for (const VersionOf& version : versions_[key]) {
                sorted.push_back(&version);
            }
            std::sort(sorted.begin(), sorted.end(), [&](const VersionOf* a, const VersionOf* b) {
                return rank[a->writer] < rank[b->writer];
            });
            for (std::size_t i = 1; i < sorted.size(); ++i) {
                add_order(KeyId{static_cast<std::uint32_t>(key)}, *sorted[i - 1], *sorted[i]);
            }
        }
        std::vector<Node> commits = graph_.commits();
        graph_.shrink(known);
        return commits.empty() ? std::nullopt : std::optional(std::move(commits));
    }

    SearchAnswer solve();
    bool collect_pairs();
    [[nodiscard]] Reachability closure() const;

    enum class Progress : std::uint8_t { settled, open, conflict, exhausted };
    Progress propagate(Reachability& reach, std::vector<Pair>& open);
    [[nodiscard]] bool possible(const Reachability& reach, const Pair& pair, bool forward) const;
    bool apply(Reachability& reach, const Pair& pair, bool forward);
    OrderEdges explain(const Pair& pair);

    [[nodiscard]] const VersionOf& earlier(const Pair& pair, bool forward) const {
        return versions_[pair.key][forward ? pair.first : pair.second];
    }

    struct Choice {
        Reachability reach;
        std::vector<Pair> open;
        std::size_t arcs;
    };

    const ResolvedHistory& history_;
    const SearchOptions& options_;
    LevelGraph graph_;
    std::vector<std::vector<VersionOf>> versions_;  ///< of each key, by writer
    struct InitialRead {
        Node reader = 0;
        KeyId key{};
    };
    std::vector<InitialRead> initial_reads_;
    std::vector<Pair> pairs_;
    Pair last_conflict_;
    std::size_t steps_ = 0;
};

bool Search::collect_pairs() {
    for (std::uint32_t key = 0; key < versions_.size(); ++key) {
        const auto count = static_cast<std::uint32_t>(versions_[key].size());
        if (pairs_.size() + std::size_t{count} * count / 2 > options_.pairs_max) {
            return false;
        }
        for (std::uint32_t first = 0; first < count; ++first) {
            for (std::uint32_t second = first + 1; second < count; ++second) {
                pairs_.push_back({key, first, second});
            }
        }
    }
    return true;
}

Reachability Search::closure() const {
    const OrderGraph graph(graph_.vertices(), graph_.arcs());
    const std::vector<std::uint32_t> order = graph.topological_order();
    std::vector<std::uint32_t> rank(graph_.vertices());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        rank[order[i]] = i;
    }
    std::vector<OrderGraph::Arc> last_first = graph_.arcs();
    std::sort(last_first.begin(), last_first.end(),
              [&](const auto& a, const auto& b) { return rank[a.from] > rank[b.from]; });
    Reachability reach(graph_.vertices());
    for (const OrderGraph::Arc& arc : last_first) {
        reach.include(arc.from, arc.to);
    }
    return reach;
}

bool Search::possible(const Reachability& reach, const Pair& pair, bool forward) const {
    const VersionOf& first = earlier(pair, forward);
    const VersionOf& second = earlier(pair, !forward);
    const KeyId key{pair.key};
    const auto allowed = [&](const OrderEdge& edge) {
        const OrderGraph::Arc arc = graph_.arc(edge);
        return !reach.reaches(arc.to, arc.from);
    };
    return allowed({first.writer, second.writer, key, OrderReason::overwrote}) &&
           std::all_of(first.readers.begin(), first.readers.end(), [&](Node reader) {
               return reader == second.writer ||
                      allowed({reader, second.writer, key, OrderReason::missed});
           });
}

bool Search::apply(Reachability& reach, const Pair& pair, bool forward) {
    const std::size_t before = graph_.arcs().size();
    add_order(KeyId{pair.key}, earlier(pair, forward), earlier(pair, !forward));
    for (std::size_t i = before; i < graph_.arcs().size(); ++i) {
        if (!reach.add(graph_.arcs()[i].from, graph_.arcs()[i].to)) {
            return false;
        }
    }
    return true;
}

/// Orders every pair of which only one order is possible, until nothing changes any more.
Search::Progress Search::propagate(Reachability& reach, std::vector<Pair>& open) {
    for (bool changed = true; changed;) {
        changed = false;
        std::size_t kept = 0;
        for (const Pair& pair : open) {
            if (++steps_ > options_.steps_max) {
                return Progress::exhausted;
            }
            const bool forward = possible(reach, pair, true);
            const bool backward = possible(reach, pair, false);
            if (forward && backward) {
                open[kept++] = pair;
                continue;
            }
            changed = true;
            if ((!forward && !backward) || !apply(reach, pair, forward)) {
                last_conflict_ = pair;
                return Progress::conflict;
            }
        }
        open.resize(kept);
    }
    return open.empty() ? Progress::settled : Progress::open;
}

/// The shorter of the two cycles that the two orders of a pair close.
OrderEdges Search::explain(const Pair& pair) {
    const std::size_t before = graph_.arcs().size();
    OrderEdges best;
    for (const bool forward : {true, false}) {
        add_order(KeyId{pair.key}, earlier(pair, forward), earlier(pair, !forward));
        OrderEdges cycle = graph_.cycle();
        graph_.shrink(before);
        if (best.empty() || (!cycle.empty() && cycle.size() < best.size())) {
            best = std::move(cycle);
        }
    }
    return best;
}

SearchAnswer Search::solve() {
    constexpr std::size_t memory_max = std::size_t{1} << 30;
    if (!collect_pairs()) {
        return unknown("pairs of writers");
    }
    Reachability reach = closure();
    std::vector<Pair> open = std::move(pairs_);
    std::vector<Choice> choices;
    bool alive = true;  // the state has no cycle yet
    bool chose = false;
    for (;;) {
        const Progress progress = alive ? propagate(reach, open) : Progress::conflict;
        if (progress == Progress::exhausted) {
            return unknown("search steps");
        }
        if (progress == Progress::settled) {
            return {Kind::holds, {}, {}, false, graph_.commits()};
        }
        if (progress == Progress::open) {
            if (choices.size() * reach.bytes() > memory_max) {
                return unknown("choices in a row");
            }
            // Take one order; should it fail, the other one is certain there.
            const Pair pair = open.back();
            choices.push_back({reach, open, graph_.arcs().size()});
            open.pop_back();
            chose = true;
            alive = apply(reach, pair, true);
            continue;
        }
        if (choices.empty()) {
            return violated(explain(last_conflict_), chose);
        }
        graph_.shrink(choices.back().arcs);
        reach = std::move(choices.back().reach);
        open = std::move(choices.back().open);
        choices.pop_back();
        last_conflict_ = open.back();
        open.pop_back();
        alive = apply(reach, last_conflict_, false);
    }
}

}  // namespace

SearchAnswer search_version_order(const ResolvedHistory& history, SearchedLevel level,
                                  const SearchOptions& options) {
    return Search(history, level, options).run();
}

}  // namespace isotap::analysis
