#include <algorithm>

#include "analysis/registers/commit_order.hpp"

namespace isotap::analysis {

namespace {

using history::KeyId;
using history::position;

/// For every transaction and session: how many transactions of that session came before it.
class Clocks {
  public:
    explicit Clocks(const ResolvedHistory& history)
        : history_(history),
          sessions_(history.session_count()),
          counts_(std::size_t{history.node_count()} * sessions_) {}

    /// Sets the clock of a transaction; those of all before it must be set.
    void set(Node node) {
        if (const Node before = history_.before_in_session(node); before != initial_node) {
            include(node, before);
        }
        Node last = initial_node;
        for (const ExternalRead& read : history_.reads(node)) {
            if (read.writer != initial_node && read.writer != last) {
                include(node, read.writer);
                last = read.writer;
            }
        }
    }

    [[nodiscard]] std::uint32_t at(Node node, std::uint32_t session) const noexcept {
        return counts_[std::size_t{node} * sessions_ + session];
    }
    [[nodiscard]] bool before(Node earlier, Node later) const noexcept {
        return at(later, history_.session(earlier)) > history_.place(earlier);
    }

  private:
    void include(Node node, Node earlier) noexcept {
        std::uint32_t* mine = counts_.data() + std::size_t{node} * sessions_;
        const std::uint32_t* its = counts_.data() + std::size_t{earlier} * sessions_;
        for (std::uint32_t session = 0; session < sessions_; ++session) {
            mine[session] = std::max(mine[session], its[session]);
        }
        std::uint32_t& own = mine[history_.session(earlier)];
        own = std::max(own, history_.place(earlier) + 1);
    }

    const ResolvedHistory& history_;
    std::uint32_t sessions_;
    std::vector<std::uint32_t> counts_;
};

/// The writers of every key, session by session.
class WritersBySession {
  public:
    struct Group {
        std::uint32_t session = 0;
        std::uint32_t first = 0;
        std::uint32_t end = 0;
        std::uint32_t hint = 0;  ///< where the last search ended: the next one ends near
    };

    explicit WritersBySession(const ResolvedHistory& history)
        : history_(history), first_group_(history.key_count() + 1) {
        std::vector<std::uint32_t> end(history.key_count() + 1);
        for (Node node = 1; node < history.node_count(); ++node) {
            for (const FinalWrite& write : history.writes(node)) {
                ++end[position(write.key) + 1];
            }
        }
        for (std::size_t key = 1; key < end.size(); ++key) {
            end[key] += end[key - 1];
        }
        writers_.resize(end.back());
        std::vector<std::uint32_t> next(end.begin(), end.end() - 1);
        for (std::uint32_t session = 0; session < history.session_count(); ++session) {
            for (const Node node : history.in_session(session)) {
                for (const FinalWrite& write : history.writes(node)) {
                    writers_[next[position(write.key)]++] = node;
                }
            }
        }
        for (std::size_t key = 0; key + 1 < end.size(); ++key) {
            first_group_[key] = static_cast<std::uint32_t>(groups_.size());
            for (std::uint32_t at = end[key]; at < end[key + 1]; ++at) {
                const std::uint32_t session = history.session(writers_[at]);
                if (at == end[key] || groups_.back().session != session) {
                    groups_.push_back({session, at, at, at});
                }
                groups_.back().end = at + 1;
            }
        }
        first_group_.back() = static_cast<std::uint32_t>(groups_.size());
    }

    [[nodiscard]] std::span<Group> groups(KeyId key) noexcept {
        const std::uint32_t first = first_group_[position(key)];
        return std::span(groups_).subspan(first, first_group_[position(key) + 1] - first);
    }

    /// The last writer of the group among the first `count` transactions of its session, or the
    /// initial state. Searches outwards from where the last search ended.
    Node last_before(Group& group, std::uint32_t count) noexcept {
        const auto early = [&](std::uint32_t at) { return history_.place(writers_[at]) < count; };
        std::uint32_t low = group.first;
        std::uint32_t high = group.end;
        std::uint32_t step = 1;
        if (group.hint < group.end && early(group.hint)) {
            low = group.hint + 1;
            while (low + step < high && early(low + step)) {
                low += step;
                step *= 2;
            }
            high = std::min(high, low + step);
        } else {
            high = std::min(high, group.hint);
            while (high > low + step && !early(high - step)) {
                high -= step;
                step *= 2;
            }
            low = std::max(low, high > step ? high - step : 0);
        }
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (early(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        group.hint = low == group.first ? low : low - 1;
        return low == group.first ? initial_node : writers_[low - 1];
    }

  private:
    const ResolvedHistory& history_;
    std::vector<std::uint32_t> first_group_;  ///< of each key
    std::vector<Group> groups_;
    std::vector<Node> writers_;
};

}  // namespace

std::vector<Node> causal_sequence(const ResolvedHistory& history) {
    const std::uint32_t count = history.node_count();
    // Readers of each writer, side by side.
    std::vector<std::uint32_t> first(count + 1);
    std::vector<std::uint32_t> waits(count);
    for (Node node = 1; node < count; ++node) {
        waits[node] = history.place(node) > 0 ? 1 : 0;
        for (const ExternalRead& read : history.reads(node)) {
            if (read.writer != initial_node) {
                ++first[read.writer + 1];
                ++waits[node];
            }
        }
    }
    for (std::uint32_t i = 1; i <= count; ++i) {
        first[i] += first[i - 1];
    }
    std::vector<Node> readers(first[count]);
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    std::vector<Node> sequence;
    sequence.reserve(count - 1);
    for (Node node = 1; node < count; ++node) {
        for (const ExternalRead& read : history.reads(node)) {
            if (read.writer != initial_node) {
                readers[next[read.writer]++] = node;
            }
        }
        if (waits[node] == 0) {
            sequence.push_back(node);
        }
    }
    const auto release = [&](Node node) {
        if (--waits[node] == 0) {
            sequence.push_back(node);
        }
    };
    for (std::size_t i = 0; i < sequence.size(); ++i) {
        const Node node = sequence[i];
        const auto session = history.in_session(history.session(node));
        if (history.place(node) + 1 < session.size()) {
            release(session[history.place(node) + 1]);
        }
        for (std::uint32_t at = first[node]; at < first[node + 1]; ++at) {
            release(readers[at]);
        }
    }
    return sequence;
}

std::optional<OrderEdges> causal_order(const ResolvedHistory& history) {
    const std::vector<Node> sequence = causal_sequence(history);
    if (sequence.size() + 1 < history.node_count()) {
        return std::nullopt;
    }
    OrderEdges edges;
    Clocks clocks(history);
    WritersBySession writers(history);
    for (const Node reader : sequence) {
        clocks.set(reader);
        for (const ExternalRead& read : history.reads(reader)) {
            for (auto& group : writers.groups(read.key)) {
                const Node known = writers.last_before(group, clocks.at(reader, group.session));
                const bool says_more =
                    known != initial_node && known != read.writer &&
                    (read.writer == initial_node || !clocks.before(known, read.writer));
                if (says_more) {
                    edges.push_back({known, read.writer, read.key, OrderReason::overwrote});
                }
            }
        }
    }
    return edges;
}

}  // namespace isotap::analysis
