// What a committed transaction did goes into the version chains.
#include "isotap/history/kept_version.hpp"

#include "analysis/dependencies/inference.hpp"

namespace isotap::analysis {

using history::AccessKind;
using history::Version;
using history::VersionKind;

/// T0 has one name.
Version Inference::resolved(Version version) const noexcept {
    if (version.kind == VersionKind::written && version.writer == 0) {
        return Version::initial();
    }
    return version;
}

void Inference::commit(Slot transaction) {
    Workspace& work = workspaces_[transactions_[transaction].workspace];
    fetch_ahead(work);
    work.mark_deciding();
    for (const Workspace::Access& access : work.accesses) {
        apply(transaction, work, access);
    }
    for (const Workspace::List& list : work.lists) {
        apply_list(work, list);
    }
    if (work.undid_something()) {
        // Also what nobody told as a write: a list may have shown it before it was undone.
        versions_.for_each_of(transaction, [&](Slot version) {
            if (work.is_undone(versions_[version].name.statement)) {
                versions_.mark_undone(version);
            }
        });
    }
    transactions_[transaction].status = Status::committed;
    transactions_[transaction].done = true;
    versions_.on_committed(transaction);
    predicates_.on_committed(work);
    emptied_.on_committed(transaction, work);
    close(transaction);
    if (options_.session_order) {
        follow_session(transaction);
    }
}

/// Rows and versions lie far apart in memory: all of them are asked for before the first is needed.
void Inference::fetch_ahead(const Workspace& work) const {
    for (const Workspace::Access& access : work.accesses) {
        __builtin_prefetch(&rows_[access.row]);
    }
    for (const Workspace::Access& access : work.accesses) {
        versions_.fetch_ahead(access.row);
    }
}

void Inference::abort(Slot transaction) {
    discard(transaction);
    transactions_[transaction].status = Status::aborted;
    versions_.on_aborted(transaction);
}

/// What it did will never count.
void Inference::discard(Slot transaction) {
    predicates_.on_aborted(workspaces_[transactions_[transaction].workspace]);
    transactions_[transaction].done = true;
    close(transaction);
}

/// Transactions of one session follow one another, unless they overlap: some recordings of others
/// put several at once into one session.
void Inference::follow_session(Slot transaction) {
    const Transaction& now = transactions_[transaction];
    Session& session = sessions_[static_cast<std::uint64_t>(now.session)];
    if (transactions_.is(session.last_slot, session.last_committed)) {
        if (transactions_[session.last_slot].ended > now.began) {
            return;
        }
        Dependency edge;
        edge.kind = EdgeKind::session;
        edge.from = session.last_slot;
        edge.to = transaction;
        sink_.on_dependency(edge);
    }
    session.last_slot = transaction;
    session.last_committed = now.id;
}

void Inference::apply(Slot transaction, const Workspace& work, Workspace::Access access) {
    const bool reads = history::is_read(access.kind);
    const bool undone = !reads && work.is_undone(access.statement);
    if (access.before.kind == VersionKind::foreign && !undone &&
        name_foreign(transaction, access) != Naming::done) {
        defer(transaction, access);
        access.before = Version{};
    }
    if (reads) {
        check_own_view(transaction, access);
        apply_read(transaction, access);
    } else if (history::keeps_version(access.kind, access.before, access.after)) {
        apply_touch(transaction, access, undone);
    } else {
        apply_write(transaction, access, undone);
    }
}

void Inference::apply_read(Slot transaction, const Workspace::Access& access) {
    const Version& seen = access.before;
    const bool names_a_state = seen.kind == VersionKind::initial ||
                               seen.kind == VersionKind::written ||
                               seen.kind == VersionKind::foreign;
    if (!names_a_state || is_own(transaction, seen)) {
        return;
    }
    const Slot version = versions_.of(access.row, seen);
    if (version == no_slot) {
        sink_.on_breach();
        return;
    }
    const Sight sight = access.decides                    ? Sight::deciding
                        : access.kind == AccessKind::read ? Sight::plain
                                                          : Sight::locking;
    versions_.add_reader(version, transaction, access.statement, sight);
}

/// It comes behind the writer of the version and before who writes the next one, as a write does.
/// Nobody else can tell by the row that it was there.
void Inference::apply_touch(Slot transaction, const Workspace::Access& access, bool undone) {
    if (undone || is_own(transaction, access.before)) {
        return;
    }
    const Slot version = versions_.of(access.row, access.before);
    if (version == no_slot) {
        sink_.on_breach();
        return;
    }
    versions_.add_reader(version, transaction, access.statement, Sight::overwriting);
}

void Inference::apply_write(Slot transaction, const Workspace::Access& access, bool undone) {
    const history::TransactionId id = transactions_[transaction].id;
    const Slot made = versions_.of(access.row, Version::written_by({id, access.statement}));
    if (made == no_slot) {
        return;
    }
    if (undone) {
        versions_.mark_undone(made);
        return;
    }
    if (access.after.kind == VersionKind::dead) {
        versions_.mark_dead(made);
    }
    Row& row = rows_[access.row];
    row.born_there = access.kind == AccessKind::insert || (row.born_there && row.seen_by == id);
    row.seen_by = id;
    row.seen = Version::written_by({id, access.statement});
    row.seen_in = access.statement;
    row.look = Look::snapshot;
    switch (access.before.kind) {
        case VersionKind::unknown:
        case VersionKind::dead: return;
        case VersionKind::unborn: versions_.mark_first(made); return;
        case VersionKind::initial:
        case VersionKind::written:
        case VersionKind::foreign: break;
    }
    if (const Slot overwritten = versions_.of(access.row, access.before); overwritten != no_slot) {
        versions_.link(overwritten, made);
    } else {
        versions_.mark_first(made);  // all that is known: its predecessor is forgotten
        sink_.on_breach();
    }
}

/// Each adjacent pair is a ww edge. From the newest back, so that it stops at what is known.
void Inference::apply_list(const Workspace& work, const Workspace::List& list) {
    const auto writers = work.writers_of(list);
    std::uint64_t hash = mix(list.trimmed, 0);
    for (const Version& writer : writers) {
        hash = mix(hash ^ writer.writer, writer.statement);
    }
    if (writers.empty()) {
        return;
    }
    Slot later = versions_.of(list.row, resolved(writers.back()));
    if (later == no_slot || versions_[later].list_hash == hash) {
        return;
    }
    versions_[later].list_hash = hash;
    for (std::size_t at = writers.size() - 1; at-- > 0;) {
        if (versions_[later].settled) {
            return;
        }
        const Slot earlier = versions_.of(list.row, resolved(writers[at]));
        if (earlier == no_slot) {
            return;
        }
        versions_.link(earlier, later);
        later = earlier;
    }
    if (list.trimmed == 0) {
        versions_.mark_first(later);
    }
}

bool Inference::is_own(Slot transaction, const Version& version) const noexcept {
    return version.kind == VersionKind::written &&
           history::TransactionId{version.writer} == transactions_[transaction].id;
}

}  // namespace isotap::analysis
