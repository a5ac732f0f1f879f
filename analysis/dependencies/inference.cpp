#include "analysis/dependencies/inference.hpp"

#include <algorithm>
#include <string>
#include <variant>

namespace isotap::analysis {

namespace {
constexpr std::size_t example_length = 200;
}

void Inference::accept(const history::Event& event) {
    std::visit([this](const auto& known) { on(known); }, event);
}

void Inference::note_time(Time at) noexcept {
    latest_ = std::max(latest_, at);
}

Slot Inference::slot_of(history::TransactionId id) {
    if (!transactions_.is(cached_slot_, id)) {
        cached_slot_ = transactions_.find(id);
    }
    return cached_slot_;
}

/// What an open transaction has done so far; null for one that is not open.
Workspace* Inference::workspace_of(history::TransactionId id) {
    const Slot slot = slot_of(id);
    if (slot == no_slot || transactions_[slot].status != Status::open) {
        return nullptr;
    }
    return &workspaces_[transactions_[slot].workspace];
}

void Inference::open(Slot transaction) {
    Slot workspace = no_slot;
    if (free_workspaces_.empty()) {
        workspace = static_cast<Slot>(workspaces_.size());
        workspaces_.emplace_back();
    } else {
        workspace = free_workspaces_.back();
        free_workspaces_.pop_back();
    }
    transactions_[transaction].workspace = workspace;
    transactions_[transaction].status = Status::open;
}

void Inference::close(Slot transaction) {
    Slot& workspace = transactions_[transaction].workspace;
    if (workspace != no_slot) {
        workspaces_[workspace].clear();
        free_workspaces_.push_back(workspace);
        workspace = no_slot;
    }
}

void Inference::mark_incomplete(Slot transaction) {
    if (!transactions_[transaction].incomplete) {
        transactions_[transaction].incomplete = true;
        ++statistics_.transactions.incomplete;
    }
}

void Inference::on(const history::SessionEnded& event) {
    note_time(event.at);
    sessions_.erase(static_cast<std::uint64_t>(event.session));
}

void Inference::on(const history::TransactionBegan& event) {
    note_time(event.at);
    const Slot slot = transactions_.of(event.transaction);
    if (slot == no_slot || transactions_[slot].status != Status::mentioned ||
        event.transaction == history::initial_transaction) {
        ++statistics_.gaps;  // a second beginning
        return;
    }
    open(slot);
    Transaction& transaction = transactions_[slot];
    transaction.session = event.session;
    transaction.began = event.at;
    transaction.ended = Time{};
    Session& session = sessions_[static_cast<std::uint64_t>(event.session)];
    session.open = slot;
    session.open_id = event.transaction;
}

void Inference::on(const history::TransactionLevel& event) {
    if (const Slot slot = slot_of(event.transaction); slot != no_slot) {
        transactions_[slot].level = event.level;
    }
}

void Inference::on(const history::TransactionEnded& event) {
    note_time(event.at);
    Workspace* work = workspace_of(event.transaction);
    if (work == nullptr) {
        ++statistics_.gaps;
        return;
    }
    work->requested = event.requested;
    const Slot slot = slot_of(event.transaction);
    const bool in_doubt = work->in_doubt && event.outcome == history::Outcome::committed;
    const auto outcome = in_doubt ? history::Outcome::indeterminate : event.outcome;
    transactions_[slot].ended = event.at;
    transactions_[slot].outcome = outcome;
    if (event.incomplete || in_doubt) {
        mark_incomplete(slot);
    }
    switch (outcome) {
        case history::Outcome::committed:
            ++statistics_.transactions.committed;
            commit(slot);
            break;
        case history::Outcome::aborted:
            ++statistics_.transactions.aborted;
            abort(slot);
            break;
        case history::Outcome::indeterminate:
            ++statistics_.transactions.indeterminate;
            transactions_[slot].status = Status::indeterminate;
            indeterminate_.push_back(slot);
            break;
    }
}

void Inference::on(const history::StatementBegan& event) {
    note_time(event.at);
    if (Workspace* work = workspace_of(event.statement.transaction)) {
        work->last_text.assign(event.text.substr(0, example_length));
        work->last_statement = event.statement.ordinal;
    }
}

void Inference::on(const history::StatementEnded& event) {
    note_time(event.at);
    Workspace* work = workspace_of(event.statement.transaction);
    if (work != nullptr && event.outcome == history::StatementOutcome::failed) {
        work->undo(event.statement.ordinal);
    }
    auto& coverage = statistics_.coverage;
    switch (event.coverage) {
        case history::Coverage::none: return;
        case history::Coverage::full:
            ++coverage.statements;
            ++coverage.full;
            return;
        case history::Coverage::partial: ++coverage.partial; break;
        case history::Coverage::opaque: ++coverage.opaque; break;
    }
    ++coverage.statements;
    auto& reasons = coverage.reasons;
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&event](const auto& r) { return r.reason == event.reason; });
    if (known == reasons.end()) {
        const bool same = work != nullptr && work->last_statement == event.statement.ordinal;
        reasons.push_back({event.reason, 0, same ? work->last_text : std::string{}});
        known = std::prev(reasons.end());
    }
    ++known->count;
}

void Inference::on(const history::Savepoint& event) {
    Workspace* work = workspace_of(event.statement.transaction);
    if (work == nullptr) {
        return;
    }
    switch (event.action) {
        case history::SavepointAction::set:
            work->set_savepoint(event.name, event.statement.ordinal);
            break;
        case history::SavepointAction::release: work->release_savepoint(event.name); break;
        case history::SavepointAction::roll_back:
            if (work->roll_back_to(event.name, event.statement.ordinal)) {
                break;
            }
            if (transactions_[slot_of(event.statement.transaction)].incomplete) {
                work->undo_all();  // as in a later part of a recording, when it is read alone
            } else {
                work->in_doubt = true;
            }
            break;
    }
}

void Inference::on(const history::Access& event) {
    Workspace* work = workspace_of(event.statement.transaction);
    if (work == nullptr) {
        ++statistics_.gaps;
        return;
    }
    ++statistics_.accesses;
    const Slot row = rows_.of(event.table, event.row);
    work->accesses.push_back(
        {row, event.statement.ordinal, event.kind, resolved(event.before), resolved(event.after)});
}

void Inference::on(const history::WriterList& event) {
    Workspace* work = workspace_of(event.statement.transaction);
    if (work == nullptr) {
        ++statistics_.gaps;
        return;
    }
    const Slot row = rows_.of(event.table, event.row);
    work->add_list({row, event.statement.ordinal, event.trimmed, 0, 0}, event.writers);
}

void Inference::on(const history::PredicateRead& event) {
    Workspace* work = workspace_of(event.statement.transaction);
    if (work == nullptr || !predicates_.read(slot_of(event.statement.transaction), event)) {
        ++statistics_.gaps;
        return;
    }
    work->predicates.push_back(event.predicate);
}

void Inference::on(const history::PredicateMatch& event) {
    if (!predicates_.match(event)) {
        ++statistics_.unresolved;
    }
}

void Inference::on(const history::TableEmptied& event) {
    Workspace* work = workspace_of(event.statement.transaction);
    if (work == nullptr) {
        ++statistics_.gaps;
        return;
    }
    work->emptied.push_back({event.table, event.statement.ordinal});
    predicates_.on_emptied(event.table);
}

/// Of one who committed and is remembered; who is retired has been judged without it.
void Inference::on(const history::HeldRead& event) {
    const Slot slot = slot_of(event.statement.transaction);
    if (slot == no_slot || transactions_[slot].status != Status::committed) {
        ++statistics_.gaps;
        return;
    }
    ++statistics_.accesses;
    Workspace::Access access{rows_.of(event.table, event.row),
                             event.statement.ordinal,
                             history::AccessKind::read,
                             resolved(event.before),
                             {}};
    if (access.before.kind == history::VersionKind::foreign &&
        name_foreign(slot, access) != Naming::done) {
        defer(slot, access);
    } else {
        apply_read(slot, access);
    }
}

void Inference::on(const history::Alias& event) {
    aliases_.insert_or_assign(event.server_transaction, event.transaction);
    if (const Slot slot = slot_of(event.transaction); slot != no_slot) {
        Transaction& transaction = transactions_[slot];
        if (transaction.aliases++ != 0) {
            more_aliases_[static_cast<std::uint64_t>(transaction.id)].push_back(transaction.alias);
        }
        transaction.alias = event.server_transaction;
    }
}

void Inference::on(const history::Gap& event) {
    note_time(event.at);
    statistics_.gaps += event.count;
    if (event.transaction != history::initial_transaction) {
        if (const Slot slot = slot_of(event.transaction); slot != no_slot) {
            mark_incomplete(slot);
        }
        return;
    }
    for (auto& [id, session] : sessions_) {
        const bool concerned = event.session == history::SessionId{} ||
                               static_cast<std::uint64_t>(event.session) == id;
        if (concerned && transactions_.is(session.open, session.open_id)) {
            mark_incomplete(session.open);
        }
    }
}

}  // namespace isotap::analysis
