// What a transaction sees of a row that it has written or seen before.
#include <array>

#include "analysis/dependencies/inference.hpp"

namespace isotap::analysis {

using history::AccessKind;
using history::Version;
using history::VersionKind;

namespace {

constexpr Look look_of(AccessKind read) noexcept {
    return read == AccessKind::read           ? Look::snapshot
           : read == AccessKind::locking_read ? Look::current
                                              : Look::either;
}

}  // namespace

/// Two looks of one transaction at one row: it must see its own last write, and may expect to see
/// what it saw before.
void Inference::check_own_view(Slot transaction, const Workspace::Access& access) {
    Row& row = rows_[access.row];
    const Transaction& reader = transactions_[transaction];
    const Workspace& work = workspaces_[reader.workspace];
    const Version before = row.seen;
    const Version now = access.before;
    const bool own_before = is_own(transaction, before);
    const bool known =
        row.seen_by == reader.id && !(own_before && work.is_undone(before.statement));
    const std::uint32_t seen_in = row.seen_in;
    const Look look = look_of(access.kind);
    const bool excusable = row.look != look || look == Look::either;
    if (now.kind != VersionKind::initial && now.kind != VersionKind::written) {
        return;
    }
    const bool own_now = is_own(transaction, now);
    if (own_now && now.statement > access.statement) {
        tell_own_view(transaction, access, AnomalyType::future_read);
        return;
    }
    if (row.seen_by == reader.id && access.statement < seen_in) {
        return;  // of a cursor: its statement ran before, and saw what there was then
    }
    if (row.seen_by != reader.id) {
        row.born_there = false;
    } else if (row.born_there && !own_now) {
        return;  // another row, which had the key before
    }
    row.seen_by = reader.id;
    row.seen = now;
    row.seen_in = access.statement;
    row.look = look;
    if (!known || before == now || seen_in == access.statement) {
        return;
    }
    const bool may_differ =
        options_.excuse_current_reads && (reader.level == history::IsolationLevel::snapshot ||
                                          reader.level == history::IsolationLevel::repeatable_read);
    if (own_before) {
        // The write went by what was current. Somebody else may have moved the row to another key
        // before: then the snapshot still shows it at its old place.
        if (may_differ && !own_now && !wrote_over(transaction, access.row, before, now)) {
            sink_.on_excused();
        } else if (!own_now || now.statement < before.statement) {
            tell_own_view(transaction, access, AnomalyType::internal);
        }
    } else if (!own_now) {
        if (may_differ && excusable) {
            sink_.on_excused();
        } else {
            tell_own_view(transaction, access, AnomalyType::non_repeatable_read);
        }
    }
}

/// Whether its own writes up to `own` began over that version, with nobody else's in between.
bool Inference::wrote_over(Slot transaction, Slot row, const Version& own,
                           const Version& version) const noexcept {
    Slot at = versions_.find(row, own);
    while (at != no_slot && is_own(transaction, versions_[at].name)) {
        at = versions_[at].previous;
    }
    return at != no_slot && at == versions_.find(row, version);
}

void Inference::tell_own_view(Slot transaction, const Workspace::Access& access, AnomalyType type) {
    Dependency step;
    step.kind = EdgeKind::wr;
    step.from = transactions_.find(history::TransactionId{access.before.writer});
    step.to = transaction;
    step.row = access.row;
    step.from_statement = access.before.statement;
    step.to_statement = access.statement;
    step.version = access.before;
    sink_.on_finding(type, std::array{step});
}

}  // namespace isotap::analysis
