// What only the passing of time decides, and what can be forgotten then.
#include <algorithm>
#include <array>

#include "analysis/dependencies/inference.hpp"

namespace isotap::analysis {

using history::Version;
using history::VersionKind;

void Inference::catch_up() {
    promote_seen();
    apply_deferred(false);
    versions_.judge_forks();
    predicates_.decide(horizon(), false);
    decide_emptied(false);
    transactions_.for_each([this](Slot slot) {
        Transaction& transaction = transactions_[slot];
        if (transaction.status == Status::mentioned && transaction.ended == Time{} &&
            latest_ != Time::min()) {
            transaction.ended = latest_;
        }
    });
}

void Inference::finish() {
    apply_deferred(true);
    promote_seen();
    versions_.judge_forks();
    predicates_.decide(horizon(), true);
    decide_emptied(true);
    if (options_.every_writer_known) {
        find_garbage();
    }
    transactions_.for_each([this](Slot slot) {
        if (transactions_[slot].status == Status::mentioned) {
            ++statistics_.unresolved;
        }
    });
}

void Inference::decide_emptied(bool at_end) {
    if (emptied_.is_due(at_end ? Time::max() : arrived())) {
        pin_rows(true);
        emptied_.decide(arrived(), at_end);
        pin_rows(false);
    }
}

/// A transaction of which nobody knows whether it committed did so if a committed one saw its work;
/// when, nobody knows either: as late as now, for all that its own end says.
void Inference::promote_seen() {
    for (bool again = true; again;) {
        again = false;
        for (std::size_t at = 0; at < indeterminate_.size(); ++at) {
            const Slot slot = indeterminate_[at];
            if (versions_.was_seen(slot)) {
                indeterminate_.erase(indeterminate_.begin() + static_cast<std::ptrdiff_t>(at));
                transactions_[slot].ended = std::max(transactions_[slot].ended, latest_);
                commit(slot);
                again = true;
                break;
            }
        }
    }
}

void Inference::find_garbage() {
    transactions_.for_each([this](Slot slot) {
        if (transactions_[slot].status != Status::mentioned) {
            return;
        }
        versions_.for_each_of(slot, [this](Slot version) {
            versions_.for_each_reader(version, [this, version](const Reader& reader) {
                if (transactions_.is(reader.transaction, reader.id)) {
                    const std::array step{versions_.read_of(versions_[version], reader)};
                    sink_.on_finding(AnomalyType::garbage_read, step);
                }
            });
        });
    });
}

void Inference::defer(Slot transaction, const Workspace::Access& access) {
    ++transactions_[transaction].waiting;
    deferred_.push_back({transaction, access});
}

/// The version that the writer left in the row; statement 0 where nobody captured the write.
Version Inference::last_write(Slot writer, Slot row) const {
    std::uint32_t statement = 0;
    versions_.for_each_of(writer, [&](Slot version) {
        const VersionNode& node = versions_[version];
        if (node.row == row && !node.undone) {
            statement = std::max(statement, node.name.statement);
        }
    });
    return Version::written_by({transactions_[writer].id, statement});
}

/// Replaces the server's number by the transaction that it stands for, where that one is known and
/// has ended.
Inference::Naming Inference::name_foreign(Slot transaction, Workspace::Access& access) const {
    if (versions_.find(access.row, access.before) != no_slot) {
        return Naming::done;
    }
    const auto alias = aliases_.find(access.before.writer);
    if (alias == aliases_.end()) {
        return Naming::nobody_known;
    }
    if (alias->second == transactions_[transaction].id) {
        const Row& row = rows_[access.row];
        const bool wrote = row.seen_by == alias->second && is_own(transaction, row.seen);
        access.before = wrote ? row.seen : Version{};
        return Naming::done;
    }
    const Slot writer = transactions_.find(alias->second);
    if (writer == no_slot) {
        return Naming::done;
    }
    if (!transactions_[writer].done) {
        return Naming::under_way;
    }
    access.before = last_write(writer, access.row);
    return Naming::done;
}

/// A version that was seen is of a transaction that had committed by then. When all that happened
/// by then has arrived and nobody has that number, it is older than the tap, or was made around it:
/// a past without a name of ours. Who is still open cannot have made it. One who has the number
/// and seems open had committed as well: his end is on its way.
bool Inference::may_be_named_yet(const Deferred& waiting, Naming naming) const {
    const Time ended = transactions_[waiting.transaction].ended;
    return naming == Naming::under_way ? ended >= horizon() : ended >= arrived();
}

void Inference::apply_deferred(bool at_end) {
    std::vector<Deferred> still;
    for (Deferred& waiting : deferred_) {
        const Slot transaction = waiting.transaction;
        Workspace::Access& access = waiting.access;
        const Naming naming = name_foreign(transaction, access);
        if (naming != Naming::done && !at_end && may_be_named_yet(waiting, naming)) {
            still.push_back(waiting);
            continue;
        }
        --transactions_[transaction].waiting;
        if (history::is_read(access.kind)) {
            apply_read(transaction, access);
            continue;
        }
        const Slot made = versions_.find(
            access.row, Version::written_by({transactions_[transaction].id, access.statement}));
        const Slot overwritten = versions_.of(access.row, access.before);
        if (made != no_slot && overwritten != no_slot) {
            versions_.link(overwritten, made);
        }
    }
    deferred_ = std::move(still);
}

/// When the first of those began that are under way.
Time Inference::first_open() const {
    Time first = Time::max();
    transactions_.for_each([&](Slot slot) {
        if (transactions_[slot].status == Status::open) {
            first = std::min(first, transactions_[slot].began);
        }
    });
    return first;
}

/// Of what happened before this moment, nothing is still to come.
Time Inference::arrived() const noexcept {
    return latest_ == Time::min() ? latest_ : latest_ - options_.arrival_skew;
}

/// Who ended before this moment overlapped nobody whose events are still to come.
Time Inference::horizon() const {
    return std::min(arrived(), first_open());
}

/// One that waits may still read or overwrite what those that it overlapped made.
Time Inference::retirement_horizon() const {
    Time safe = horizon();
    transactions_.for_each([&](Slot slot) {
        const Transaction& transaction = transactions_[slot];
        if (transaction.status == Status::committed && transaction.waiting != 0) {
            safe = std::min(safe, transaction.began);
        }
    });
    return safe;
}

std::optional<Time> Inference::due() const {
    const Time open = first_open();
    std::optional<Time> first;
    const auto consider = [&](Time ended) {
        if (!first || ended < *first) {
            first = ended;
        }
    };
    for (const Deferred& waiting : deferred_) {
        const Time ended = transactions_[waiting.transaction].ended;
        if (ended < open || !aliases_.contains(waiting.access.before.writer)) {
            consider(ended);
        }
    }
    emptied_.for_each_waiting([&](Slot by) { consider(transactions_[by].ended); });
    predicates_.for_each_complete([&](Slot reader) {
        if (transactions_[reader].ended < open) {
            consider(transactions_[reader].ended);
        }
    });
    if (first) {
        *first += options_.arrival_skew + Time::duration{1};
    }
    return first;
}

bool Inference::is_settled(Slot slot, Time horizon) const noexcept {
    const Transaction& transaction = transactions_[slot];
    switch (transaction.status) {
        case Status::open:
        case Status::indeterminate: return false;
        case Status::mentioned:
            return !options_.every_writer_known && transaction.ended != Time{} &&
                   transaction.ended < horizon;
        case Status::aborted: return transaction.ended < horizon;
        case Status::committed:
            return transaction.ended < horizon && transaction.waiting == 0 &&
                   (transaction.unordered == 0 ||
                    (options_.patience && transaction.ended < horizon - *options_.patience));
    }
    return false;
}

/// Who comes later names what this transaction left by the server's number, if by that at all. Of
/// one with several numbers it is not known which of them made what: its versions lose their link
/// to later readers, which costs edges and invents none.
void Inference::forget_aliases(Slot slot) {
    const Transaction& transaction = transactions_[slot];
    if (transaction.aliases == 0) {
        return;
    }
    if (transaction.aliases == 1) {
        versions_.for_each_of(slot, [&](Slot version) {
            if (versions_[version].next == no_slot) {
                versions_.rename(version, Version::foreign(transaction.alias));
            }
        });
    } else if (const auto more = more_aliases_.find(static_cast<std::uint64_t>(transaction.id));
               more != more_aliases_.end()) {
        for (const std::uint64_t alias : more->second) {
            aliases_.erase(alias);
        }
        more_aliases_.erase(more);
    }
    aliases_.erase(transaction.alias);
}

void Inference::retire(Slot slot) {
    const Status status = transactions_[slot].status;
    if (status == Status::indeterminate) {
        std::erase(indeterminate_, slot);
    }
    if (transactions_[slot].workspace != no_slot) {
        discard(slot);  // forced out while it was under way
    }
    if (transactions_[slot].waiting != 0) {
        predicates_.forget(slot);
        emptied_.forget(slot);
        std::erase_if(deferred_, [slot](const Deferred& d) { return d.transaction == slot; });
    }
    forget_aliases(slot);
    versions_.retire(slot);
    transactions_.forget(slot, status != Status::mentioned);
}

/// Counting them as they come would touch a row's memory twice per access; this is done once a
/// search.
void Inference::pin_rows(bool on) {
    transactions_.for_each([&](Slot slot) {
        if (transactions_[slot].workspace == no_slot) {
            return;
        }
        const Workspace& work = workspaces_[transactions_[slot].workspace];
        for (const Workspace::Access& access : work.accesses) {
            rows_[access.row].in_use = on;
        }
        for (const Workspace::List& list : work.lists) {
            rows_[list.row].in_use = on;
        }
    });
    for (const Deferred& waiting : deferred_) {
        rows_[waiting.access.row].in_use = on;
    }
}

void Inference::forget_rows(std::size_t limit) {
    rows_.shrink(limit, [this](Slot row) { return versions_.forget_row(row); });
}

}  // namespace isotap::analysis
