// What the chains of versions prove. Each of these is called whenever one of the facts that it
// needs arrives, and tells only when the last of them has.
#include <array>

#include "analysis/dependencies/versions.hpp"

namespace isotap::analysis {

bool Versions::committed(Slot transaction) const noexcept {
    return transaction != no_slot && transactions_[transaction].status == Status::committed;
}

bool Versions::revoked(const VersionNode& node) const noexcept {
    return node.undone ||
           (node.writer != no_slot && transactions_[node.writer].status == Status::aborted);
}

bool Versions::alive(const Reader& reader) const noexcept {
    return transactions_.is(reader.transaction, reader.id);
}

void Versions::tell_link(Slot previous, Slot next) {
    const VersionNode& before = nodes_[previous];
    const VersionNode& after = nodes_[next];
    tell_write_after(before, after);
    for (Slot at = before.readers; at != no_slot; at = readers_[at].next) {
        tell_read_before(before, readers_[at], after);
    }
}

void Versions::on_committed(Slot transaction) {
    for (Slot at = transactions_[transaction].versions; at != no_slot;
         at = nodes_[at].next_of_writer) {
        const VersionNode& node = nodes_[at];
        if (node.previous != no_slot) {
            tell_link(node.previous, at);
        }
        // A pair of its own versions is told by the later one's turn, above.
        if (node.next != no_slot && nodes_[node.next].writer != transaction) {
            tell_write_after(node, nodes_[node.next]);
        }
        for (Slot reader = node.readers; reader != no_slot; reader = readers_[reader].next) {
            tell_read_of(node, readers_[reader]);
        }
    }
}

void Versions::on_aborted(Slot transaction) {
    for (Slot at = transactions_[transaction].versions; at != no_slot;
         at = nodes_[at].next_of_writer) {
        const VersionNode& node = nodes_[at];
        for (Slot reader = node.readers; reader != no_slot; reader = readers_[reader].next) {
            tell_read_of(node, readers_[reader]);
        }
        if (node.next != no_slot) {
            tell_write_after(node, nodes_[node.next]);
        }
        cut_out(at);
    }
}

void Versions::tell_write_after(const VersionNode& from, const VersionNode& to) {
    if (from.writer == no_slot || from.writer == to.writer) {
        return;  // the past comes before everything, and nobody before himself
    }
    if (to.settled) {
        if (committed(from.writer) && to.retired) {
            sink_.on_breach();
        }
        return;
    }
    if (!committed(to.writer) || to.undone) {
        return;
    }
    if (revoked(from)) {
        const std::array steps{write_after(from, to)};
        sink_.on_finding(AnomalyType::dirty_update, steps);
    } else if (committed(from.writer)) {
        sink_.on_dependency(write_after(from, to));
    }
}

void Versions::tell_read_of(const VersionNode& from, const Reader& reader) {
    if (from.writer == no_slot || from.writer == reader.transaction) {
        return;
    }
    if (!alive(reader)) {
        if (committed(from.writer)) {
            sink_.on_breach();
        }
        return;
    }
    if (revoked(from)) {
        const std::array steps{read_of(from, reader)};
        sink_.on_finding(AnomalyType::g1a, steps);
    } else if (committed(from.writer)) {
        sink_.on_dependency(read_of(from, reader));
    }
}

void Versions::tell_read_before(const VersionNode& seen, const Reader& reader,
                                const VersionNode& next) {
    if (!alive(reader) || next.writer == reader.transaction) {
        return;
    }
    if (next.settled) {
        if (next.retired) {
            sink_.on_stale_read(read_before(seen, reader, next), next.name, next.ended);
        }
        return;
    }
    if (!committed(next.writer) || next.undone) {
        return;
    }
    if (next.writer == seen.writer && !seen.undone) {
        const std::array steps{read_of(seen, reader), read_before(seen, reader, next)};
        sink_.on_finding(AnomalyType::g1b, steps);
    }
    sink_.on_dependency(read_before(seen, reader, next));
}

Dependency Versions::write_after(const VersionNode& from, const VersionNode& to) const {
    Dependency edge;
    edge.kind = EdgeKind::ww;
    edge.from = from.writer;
    edge.to = to.writer;
    edge.row = from.row;
    edge.from_statement = from.name.statement;
    edge.to_statement = to.name.statement;
    edge.version = from.name;
    return edge;
}

Dependency Versions::read_of(const VersionNode& from, const Reader& reader) const {
    Dependency edge;
    edge.kind = reader.sight == Sight::overwriting ? EdgeKind::ww : EdgeKind::wr;
    edge.from = from.writer;
    edge.to = reader.transaction;
    edge.row = from.row;
    edge.from_statement = from.name.statement;
    edge.to_statement = reader.statement;
    edge.decides = reader.sight == Sight::deciding;
    edge.current_read = edge.decides || reader.sight == Sight::locking;
    edge.version = from.name;
    return edge;
}

Dependency Versions::read_before(const VersionNode& seen, const Reader& reader,
                                 const VersionNode& next) const {
    Dependency edge;
    edge.kind = reader.sight == Sight::overwriting ? EdgeKind::ww : EdgeKind::rw;
    edge.from = reader.transaction;
    edge.to = next.writer;
    edge.row = seen.row;
    edge.from_statement = reader.statement;
    edge.to_statement = next.name.statement;
    edge.version = seen.name;
    return edge;
}

}  // namespace isotap::analysis
