#include "analysis/registers/commit_order.hpp"

namespace isotap::analysis {

namespace {

using history::KeyId;
using history::position;

/// Up to two different writers that a transaction read a key from: enough to find one that is not
/// the one at hand.
struct TwoWriters {
    Node reader = initial_node;  ///< whom this entry is about; stale for everybody else
    Node first = 0;
    Node second = 0;
    bool has_second = false;

    void put_in_front(Node by, Node writer) noexcept {
        if (reader != by) {
            *this = {by, writer, 0, false};
        } else if (writer != first) {
            second = first;
            first = writer;
            has_second = true;
        }
    }
    /// The nearest one that is not `other`; false if there is none.
    bool other_than(Node by, Node other, Node& into) const noexcept {
        if (reader != by || (first == other && !has_second)) {
            return false;
        }
        into = first == other ? second : first;
        return true;
    }
};

/// For every key that `writer` wrote and `reader` read from somebody else: an edge. Walks the
/// shorter of both lists, which is what keeps the sum below n^1.5.
class SharedKeys {
  public:
    SharedKeys(const ResolvedHistory& history, OrderEdges& edges)
        : history_(history), edges_(edges), read_from_(history.key_count()) {}

    void saw(Node reader, const ExternalRead& read) {
        read_from_[position(read.key)].put_in_front(reader, read.writer);
    }

    void order(Node writer, Node reader, std::span<const ExternalRead> among) {
        const auto writes = history_.writes(writer);
        if (writes.size() <= among.size()) {
            for (const FinalWrite& write : writes) {
                order_on(write.key, writer, reader);
            }
            return;
        }
        for (const ExternalRead& read : among) {
            if (history_.writes_key(writer, read.key)) {
                order_on(read.key, writer, reader);
            }
        }
    }

  private:
    void order_on(KeyId key, Node writer, Node reader) {
        Node seen = 0;
        if (read_from_[position(key)].other_than(reader, writer, seen)) {
            edges_.push_back({writer, seen, key, OrderReason::overwrote});
        }
    }

    const ResolvedHistory& history_;
    OrderEdges& edges_;
    std::vector<TwoWriters> read_from_;
};

}  // namespace

OrderEdges read_committed_order(const ResolvedHistory& history) {
    OrderEdges edges;
    SharedKeys keys(history, edges);
    std::vector<Node> last_reader(history.node_count(), initial_node);
    std::vector<bool> is_first;
    for (Node reader = 1; reader < history.node_count(); ++reader) {
        const auto reads = history.reads(reader);
        is_first.assign(reads.size(), false);
        for (std::size_t i = 0; i < reads.size(); ++i) {
            is_first[i] = last_reader[reads[i].writer] != reader;
            last_reader[reads[i].writer] = reader;
        }
        // From the last read to the first: what a writer must precede is what is read later.
        for (std::size_t i = reads.size(); i-- > 0;) {
            if (is_first[i] && reads[i].writer != initial_node) {
                keys.order(reads[i].writer, reader, reads.subspan(i + 1));
            }
            keys.saw(reader, reads[i]);
        }
    }
    return edges;
}

OrderEdges read_atomic_order(const ResolvedHistory& history) {
    OrderEdges edges;
    SharedKeys keys(history, edges);
    std::vector<Node> last_reader(history.node_count(), initial_node);
    std::vector<Node> last_in_session(history.key_count(), initial_node);
    for (std::uint32_t session = 0; session < history.session_count(); ++session) {
        for (const Node reader : history.in_session(session)) {
            const auto reads = history.reads(reader);
            for (const ExternalRead& read : reads) {
                keys.saw(reader, read);
            }
            for (const ExternalRead& read : reads) {
                if (read.writer != initial_node && last_reader[read.writer] != reader) {
                    last_reader[read.writer] = reader;
                    keys.order(read.writer, reader, reads);
                }
                // Of what its own session wrote, the last write stands for the ones before.
                const Node own = last_in_session[position(read.key)];
                if (own != initial_node && history.session(own) == session && own != read.writer) {
                    edges.push_back({own, read.writer, read.key, OrderReason::overwrote});
                }
            }
            for (const FinalWrite& write : history.writes(reader)) {
                last_in_session[position(write.key)] = reader;
            }
        }
    }
    return edges;
}

}  // namespace isotap::analysis
