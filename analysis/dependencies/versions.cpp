#include "analysis/dependencies/versions.hpp"

#include <algorithm>
#include <array>

namespace isotap::analysis {

using history::Version;
using history::VersionKind;

Versions::Key Versions::key_of(Slot row, const Version& name) noexcept {
    return {name.writer, row, name.statement, name.kind};
}

Slot Versions::find(Slot row, const Version& name) const noexcept {
    const Row& of = rows_[row];
    if (of.indexed) {
        const auto found = by_name_.find(key_of(row, name));
        return found == by_name_.end() ? no_slot : found->second;
    }
    Slot at = of.versions;
    while (at != no_slot && nodes_[at].name != name) {
        at = nodes_[at].next_of_row;
    }
    return at;
}

/// Most rows have a version or two that matter: walking along them beats any table. Hot rows have
/// thousands.
void Versions::index_if_many(Slot row) {
    Row& of = rows_[row];
    const bool indexed =
        of.indexed ? of.version_count > walked_at_most / 2 : of.version_count > walked_at_most;
    if (indexed == of.indexed) {
        return;
    }
    of.indexed = indexed;
    for (Slot at = of.versions; at != no_slot; at = nodes_[at].next_of_row) {
        if (indexed) {
            by_name_.emplace(key_of(row, nodes_[at].name), at);
        } else {
            by_name_.erase(key_of(row, nodes_[at].name));
        }
    }
}

Slot Versions::of(Slot row, const Version& name) {
    if (const Slot known = find(row, name); known != no_slot) {
        return known;
    }
    Slot writer = no_slot;
    bool settled = name.kind != VersionKind::written;
    if (name.kind == VersionKind::written) {
        const history::TransactionId id{name.writer};
        writer = transactions_.of(id);
        if (writer == no_slot) {
            if (rows_[row].versions != no_slot) {
                return no_slot;
            }
            settled = true;  // the row was forgotten, this is its state as far as we know
        }
    }
    const Slot slot = nodes_.take();
    VersionNode& node = nodes_[slot];
    node.name = name;
    node.row = row;
    node.settled = settled;
    node.ordered = settled;
    if (writer != no_slot) {
        Transaction& by = transactions_[writer];
        node.writer = writer;
        node.next_of_writer = by.versions;
        by.versions = slot;
        ++by.unordered;
    }
    node.next_of_row = rows_[row].versions;
    if (node.next_of_row != no_slot) {
        nodes_[node.next_of_row].previous_of_row = slot;
    }
    rows_[row].versions = slot;
    ++rows_[row].version_count;
    if (rows_[row].indexed) {
        by_name_.emplace(key_of(row, name), slot);
    }
    index_if_many(row);
    return slot;
}

/// The edges of the first sight hold where those of the second would.
static bool tells_as_much(Sight first, Sight second) noexcept {
    return first == second || (first < second && second != Sight::overwriting);
}

void Versions::add_reader(Slot version, Slot transaction, std::uint32_t statement, Sight sight) {
    if (const Slot last = nodes_[version].readers;
        last != no_slot && readers_[last].id == transactions_[transaction].id &&
        tells_as_much(readers_[last].sight, sight)) {
        return;  // saw it before, and the first sight tells as much
    }
    if (nodes_[version].reader_count >= nodes_[version].tidy_at) {
        tidy_readers(nodes_[version]);
    }
    const Slot slot = readers_.take();
    VersionNode& node = nodes_[version];
    Reader& reader = readers_[slot];
    reader.id = transactions_[transaction].id;
    reader.transaction = transaction;
    reader.statement = statement;
    reader.sight = sight;
    reader.next = node.readers;
    node.readers = slot;
    ++node.reader_count;
    tell_read_of(node, reader);
    if (node.next != no_slot) {
        tell_read_before(node, reader, nodes_[node.next]);
    }
}

void Versions::set_ordered(VersionNode& node) {
    if (!node.ordered) {
        node.ordered = true;
        if (node.writer != no_slot) {
            --transactions_[node.writer].unordered;
        }
    }
}

void Versions::mark_first(Slot version) {
    set_ordered(nodes_[version]);
}

void Versions::link(Slot previous, Slot next) {
    VersionNode& before = nodes_[previous];
    VersionNode& after = nodes_[next];
    if (previous == next || before.next == next || after.previous != no_slot || revoked(after)) {
        return;  // known already; or two accounts of what came before, of which the first stands
    }
    if (before.next != no_slot) {
        const Fork fork{previous, next};
        if (!judge(fork)) {
            forks_.push_back(fork);
        }
        return;
    }
    before.next = next;
    after.previous = previous;
    set_ordered(after);
    tell_link(previous, next);
}

/// An aborted version never was the successor of the one before it.
void Versions::cut_out(Slot version) {
    VersionNode& node = nodes_[version];
    if (node.previous != no_slot) {
        nodes_[node.previous].next = no_slot;
        node.previous = no_slot;
    }
}

void Versions::rename(Slot version, const Version& name) {
    VersionNode& node = nodes_[version];
    if (find(node.row, name) != no_slot) {
        return;
    }
    if (rows_[node.row].indexed) {
        by_name_.erase(key_of(node.row, node.name));
        by_name_.emplace(key_of(node.row, name), version);
    }
    node.name = name;
}

/// By somebody who sees what is committed only, as far as anybody knows.
bool Versions::seen_committed(const VersionNode& node) const noexcept {
    for (Slot at = node.readers; at != no_slot; at = readers_[at].next) {
        const Reader& reader = readers_[at];
        if (!alive(reader) ||
            transactions_[reader.transaction].level != history::IsolationLevel::read_uncommitted) {
            return true;
        }
    }
    return false;
}

bool Versions::was_seen(Slot transaction) const noexcept {
    for (Slot at = transactions_[transaction].versions; at != no_slot;
         at = nodes_[at].next_of_writer) {
        const VersionNode& node = nodes_[at];
        const Slot next = node.next;
        if (seen_committed(node) || (next != no_slot && nodes_[next].writer != transaction &&
                                     (nodes_[next].settled || committed(nodes_[next].writer)))) {
            return true;
        }
    }
    return false;
}

void Versions::judge_forks() {
    std::erase_if(forks_, [this](const Fork& fork) { return judge(fork); });
}

/// True when there is nothing left to decide about it.
bool Versions::judge(const Fork& fork) {
    VersionNode& before = nodes_[fork.previous];
    VersionNode& second = nodes_[fork.next];
    if (revoked(second) || second.previous != no_slot) {
        return true;
    }
    if (before.next == no_slot) {
        link(fork.previous, fork.next);
        return true;
    }
    const VersionNode& first = nodes_[before.next];
    if (revoked(first)) {
        cut_out(before.next);
        link(fork.previous, fork.next);
        return true;
    }
    if (!committed(first.writer) || !committed(second.writer)) {
        return first.settled || second.settled;
    }
    set_ordered(second);
    if (first.writer != second.writer) {
        const std::array steps{write_after(before, first), write_after(before, second)};
        sink_.on_finding(AnomalyType::incompatible_order, steps);
    }
    return true;
}

void Versions::retire(Slot transaction) {
    const Status status = transactions_[transaction].status;
    const bool holds = status != Status::aborted;
    for (Slot at = transactions_[transaction].versions; at != no_slot;) {
        VersionNode& node = nodes_[at];
        const Slot following = node.next_of_writer;
        const Slot row = node.row;
        node.writer = no_slot;
        node.settled = true;
        node.retired = status == Status::committed;
        node.ended = transactions_[transaction].ended;
        node.ordered = true;
        node.next_of_writer = no_slot;
        if (!holds || node.undone) {
            drop(at);
        } else {
            if (node.previous != no_slot) {
                drop_if_past(node.previous);
            }
            drop_if_past(at);
        }
        if (rows_[row].versions == no_slot && !rows_[row].in_use) {
            rows_.erase(row);
        }
        at = following;
    }
    transactions_[transaction].versions = no_slot;
}

/// Nobody who begins from now on can see it: it was overwritten, or deleted, by one who is retired.
void Versions::drop_if_past(Slot version) {
    const VersionNode& node = nodes_[version];
    if (node.settled && (node.dead || (node.next != no_slot && nodes_[node.next].settled))) {
        drop(version);
    }
}

void Versions::drop(Slot version) {
    VersionNode& node = nodes_[version];
    drop_readers(version);
    if (node.previous != no_slot) {
        nodes_[node.previous].next = no_slot;
    }
    if (node.next != no_slot) {
        nodes_[node.next].previous = no_slot;
    }
    if (rows_[node.row].indexed) {
        by_name_.erase(key_of(node.row, node.name));
    }
    leave_row(version);
    std::erase_if(forks_, [version](const Fork& fork) {
        return fork.previous == version || fork.next == version;
    });
    nodes_.give_back(version);
}

void Versions::leave_row(Slot version) {
    const VersionNode& node = nodes_[version];
    if (node.previous_of_row != no_slot) {
        nodes_[node.previous_of_row].next_of_row = node.next_of_row;
    } else {
        rows_[node.row].versions = node.next_of_row;
    }
    if (node.next_of_row != no_slot) {
        nodes_[node.next_of_row].previous_of_row = node.previous_of_row;
    }
    --rows_[node.row].version_count;
    index_if_many(node.row);
}

void Versions::drop_readers(Slot version) {
    for (Slot at = nodes_[version].readers; at != no_slot;) {
        const Slot following = readers_[at].next;
        readers_.give_back(at);
        at = following;
    }
    nodes_[version].readers = no_slot;
    nodes_[version].reader_count = 0;
}

/// A row that is read for ever and never written must not remember its readers for ever.
void Versions::tidy_readers(VersionNode& node) {
    Slot* link = &node.readers;
    while (*link != no_slot) {
        const Slot at = *link;
        if (alive(readers_[at])) {
            link = &readers_[at].next;
        } else {
            *link = readers_[at].next;
            readers_.give_back(at);
            --node.reader_count;
        }
    }
    node.tidy_at = std::max<std::uint32_t>(16, 2 * node.reader_count);
}

/// The newest reader is the first one and leaves last, as a rule: a row that many read is not gone
/// through for each of them that leaves.
bool Versions::has_live_reader(VersionNode& node) {
    while (node.readers != no_slot && !alive(readers_[node.readers])) {
        const Slot gone = node.readers;
        node.readers = readers_[gone].next;
        readers_.give_back(gone);
        --node.reader_count;
    }
    return node.readers != no_slot;
}

bool Versions::forget_row(Slot row) {
    const Slot only = rows_[row].versions;
    if (only == no_slot) {
        return !rows_[row].in_use;
    }
    VersionNode& node = nodes_[only];
    if (rows_[row].in_use || node.next_of_row != no_slot || !node.settled || node.next != no_slot) {
        return false;
    }
    if (has_live_reader(node)) {
        return false;
    }
    drop(only);
    return true;
}

}  // namespace isotap::analysis
