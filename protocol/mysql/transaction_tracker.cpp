#include "protocol/mysql/transaction_tracker.hpp"

#include <algorithm>

#include "protocol/mysql/error_meaning.hpp"

namespace isotap::mysql {

using history::Outcome;
using sql::TransactionControl;
using sql::TransactionVerb;

namespace {

/// The server keeps them until somebody decides: so do we, up to a bound.
constexpr std::size_t parked_max = 64;

bool starts_transaction(TransactionVerb verb) noexcept {
    return verb == TransactionVerb::begin || verb == TransactionVerb::xa_begin;
}

}  // namespace

void TransactionTracker::take(ServerStatus status) noexcept {
    in_transaction_ = status.has(StatusFlag::in_transaction);
    autocommit_ = status.has(StatusFlag::autocommit);
}

void TransactionTracker::open(const TransactionControl& first, Time at) {
    open_ = true;
    ordinal_ = 0;
    incomplete_ = false;
    maybe_rolled_back_ = false;
    waits_with_savepoint_ = false;
    transaction_ = ids_.next();
    history::TransactionBegan began;
    began.session = session_;
    began.transaction = transaction_;
    began.at = at;
    began.implicit = autocommit_ && !starts_transaction(first.verb);
    events_.accept(began);
    emit_level();
}

void TransactionTracker::emit_level() {
    events_.accept(history::TransactionLevel{transaction_, current_isolation_.level,
                                             current_isolation_.source,
                                             current_isolation_.read_only});
}

std::optional<history::IsolationLevel> TransactionTracker::level() const noexcept {
    const Isolation& session = isolation_.session();
    const bool set_since = current_isolation_.source == history::LevelSource::server_default &&
                           session.source != history::LevelSource::server_default;
    if (!open_ || incomplete_ || set_since) {
        return std::nullopt;
    }
    return current_isolation_.level;
}

history::StatementRef TransactionTracker::statement_began(const TransactionControl& control,
                                                          Time at) {
    if (!open_) {
        current_isolation_ = isolation_.take(control);
        open(control, at);
        // The server was in a transaction before, and we have not seen it begin.
        incomplete_ = in_transaction_;
    }
    return {transaction_, ++ordinal_};
}

void TransactionTracker::statement_succeeded(const TransactionControl& control, ServerStatus status,
                                             Time requested, Time at) {
    const bool was_in_transaction = in_transaction_;
    const bool was_autocommit = autocommit_;
    take(status);
    isolation_.set(control);
    emit_savepoint(control);
    switch (control.verb) {
        case TransactionVerb::commit:
        case TransactionVerb::rollback:
        case TransactionVerb::xa_prepare:
        case TransactionVerb::xa_commit:
        case TransactionVerb::xa_rollback: end_by_verb(control, requested, at); break;
        case TransactionVerb::begin:
        case TransactionVerb::xa_begin:
            if (was_in_transaction) {
                // It has committed the one that was open, and is the first word of the next.
                end(Outcome::committed, requested, at);
                current_isolation_ = isolation_.take(control);
                open(control, requested);
            }
            break;
        default:
            if (waits_with_savepoint(control)) {
                take_next_level(control);
            } else if (!in_transaction_) {
                end_by_flag(control, was_in_transaction, requested, at);
            } else {
                // Under autocommit only one that was open before is open now. One that a mere
                // statement has opened was opened inside a routine: we have not seen how.
                if (was_in_transaction && was_autocommit) maybe_rolled_back_ = false;
                incomplete_ = incomplete_ || (!was_in_transaction && was_autocommit) ||
                              control.verb == TransactionVerb::implicit_commit;
            }
    }
}

/// Without autocommit a savepoint may be set before anything else: the server says that there is no
/// transaction yet, and rolls back to it all the same. It is the first word of the one to come.
bool TransactionTracker::waits_with_savepoint(const TransactionControl& control) noexcept {
    waits_with_savepoint_ = !in_transaction_ && !autocommit_ &&
                            control.verb != TransactionVerb::implicit_commit &&
                            (waits_with_savepoint_ || control.verb == TransactionVerb::savepoint);
    return waits_with_savepoint_;
}

/// SET TRANSACTION is for a transaction that has begun for us and not for the server.
void TransactionTracker::take_next_level(const TransactionControl& control) {
    if (control.verb == TransactionVerb::set) {
        TransactionControl first;
        current_isolation_ = isolation_.take(first);
        emit_level();
    }
}

/// COMMIT and its kin ended the transaction, whatever the flag says: where it is still set, the
/// next one has begun (AND CHAIN, or completion_type).
void TransactionTracker::end_by_verb(const TransactionControl& control, Time requested, Time at) {
    const bool commits =
        control.verb == TransactionVerb::commit || control.verb == TransactionVerb::xa_commit;
    isolation_.ended_by_word();
    if (control.verb == TransactionVerb::xa_prepare) {
        park_prepared_xa(control.name, requested, at);
        return;
    }
    const bool xa =
        control.verb == TransactionVerb::xa_commit || control.verb == TransactionVerb::xa_rollback;
    if (xa &&
        end_parked(control.name, commits ? Outcome::committed : Outcome::aborted, requested, at)) {
        // What is open is the unit of this very statement.
        end(Outcome::committed, requested, at);
        return;
    }
    if (commits && maybe_rolled_back_) {
        end_unclear(requested, at);
    } else {
        end(commits ? Outcome::committed : Outcome::aborted, requested, at);
    }
    if (in_transaction_) {
        TransactionControl chained;
        chained.verb = TransactionVerb::begin;
        open(chained, requested);
    }
}

/// The flag went out, or was never set, and the statement is none that ends transactions by name.
void TransactionTracker::end_by_flag(const TransactionControl& control, bool was_in_transaction,
                                     Time requested, Time at) {
    const bool ends_others =
        control.verb == TransactionVerb::implicit_commit || control.autocommit == sql::Switch::on;
    // The only statement of its transaction has committed it, and where the server was in none
    // before either, there was nothing else to commit. A later one may have rolled it back just as
    // well, unless it is known to commit.
    if (ends_others || ordinal_ == 1 || !was_in_transaction) {
        if (maybe_rolled_back_) {
            end_unclear(requested, at);
        } else {
            end(Outcome::committed, requested, at);
        }
    } else {
        end_unclear(requested, at);
    }
}

void TransactionTracker::statement_failed(const TransactionControl& control, std::uint32_t error,
                                          Time requested, Time at) {
    const bool unit = ordinal_ == 1 && autocommit_ && !in_transaction_;
    if (rolls_back_all(error) || unit) {
        // Behind a statement alone MySQL has forgotten what was set for one transaction.
        if (!unit) isolation_.ended_by_server();
        end(leaves_doubt(error) ? Outcome::indeterminate : Outcome::aborted, requested, at);
        in_transaction_ = false;
        return;
    }
    maybe_rolled_back_ = maybe_rolled_back_ || may_roll_back_all(error);
    const bool ends =
        control.verb == TransactionVerb::commit || control.verb == TransactionVerb::rollback ||
        control.verb == TransactionVerb::xa_commit || control.verb == TransactionVerb::xa_rollback;
    if (never_ran(error)) {
        return;
    }
    if (ends) {
        // In doubt the server may still be in it: what comes next is then not seen from its
        // beginning.
        const bool doubt = !undoes_a_commit(error);
        end(doubt ? Outcome::indeterminate : Outcome::aborted, requested, at);
        in_transaction_ = doubt && in_transaction_;
    } else if (control.verb == TransactionVerb::implicit_commit ||
               control.verb == TransactionVerb::begin) {
        // It commits what is open before it does its own work; which of the two failed is not told.
        if (in_transaction_) {
            end_unclear(requested, at);
        } else {
            end(Outcome::aborted, requested, at);
        }
        in_transaction_ = false;
    }
}

void TransactionTracker::status_seen(ServerStatus status, Time at) {
    take(status);
    if (open_ && !in_transaction_ && autocommit_) {
        end_unclear(at, at);
    }
}

void TransactionTracker::level_reported(history::IsolationLevel level) {
    if (open_) {
        current_isolation_.level = level;
        current_isolation_.source = history::LevelSource::reported;
        emit_level();
    }
}

void TransactionTracker::session_reset(ServerStatus status, Time at) {
    if (open_) {
        end(Outcome::aborted, at, at);
    }
    isolation_.reset();
    take(status);
}

void TransactionTracker::closed(const TransactionControl* in_flight, bool may_commit,
                                Time requested, Time at) {
    if (open_) {
        // An autocommit unit commits as its statement ends; an open transaction is rolled back,
        // unless what was in flight ended it.
        const bool doubt = in_flight != nullptr &&
                           (may_commit || (ordinal_ == 1 && autocommit_ && !in_transaction_));
        end(doubt ? Outcome::indeterminate : Outcome::aborted, in_flight ? requested : at, at);
    }
    end_parked_unclear(at);
}

void TransactionTracker::lost(Time at) {
    end_unclear(at, at);
    end_parked_unclear(at);
}

void TransactionTracker::end_parked_unclear(Time at) {
    for (const PreparedXa& branch : parked_) {
        emit_end(branch.transaction, Outcome::indeterminate, branch.incomplete, at, at);
    }
    parked_.clear();
}

void TransactionTracker::end(Outcome outcome, Time requested, Time at) {
    if (open_) {
        open_ = false;
        isolation_.ended();
        emit_end(transaction_, outcome, incomplete_, requested, at);
    }
}

void TransactionTracker::end_unclear(Time requested, Time at) {
    incomplete_ = true;
    end(Outcome::indeterminate, requested, at);
}

void TransactionTracker::emit_end(history::TransactionId transaction, Outcome outcome,
                                  bool incomplete, Time requested, Time at) {
    events_.accept(history::TransactionEnded{transaction, requested, at, outcome, incomplete});
}

/// The branch is on disk and neither committed nor rolled back. The session is free of it.
void TransactionTracker::park_prepared_xa(std::string_view xid, Time requested, Time at) {
    in_transaction_ = false;
    if (parked_.size() >= parked_max) {
        end_unclear(requested, at);
        return;
    }
    if (open_) {
        open_ = false;
        parked_.push_back({std::string(xid), transaction_, incomplete_});
    }
}

bool TransactionTracker::end_parked(std::string_view xid, Outcome outcome, Time requested,
                                    Time at) {
    const auto found = std::find_if(parked_.begin(), parked_.end(),
                                    [&](const PreparedXa& branch) { return branch.xid == xid; });
    if (found == parked_.end()) {
        return false;
    }
    emit_end(found->transaction, outcome, found->incomplete, requested, at);
    parked_.erase(found);
    return true;
}

void TransactionTracker::emit_savepoint(const TransactionControl& control) {
    history::Savepoint savepoint;
    savepoint.statement = {transaction_, ordinal_};
    savepoint.name = control.name;
    switch (control.verb) {
        case TransactionVerb::savepoint: savepoint.action = history::SavepointAction::set; break;
        case TransactionVerb::release_savepoint:
            savepoint.action = history::SavepointAction::release;
            break;
        case TransactionVerb::rollback_to_savepoint:
            savepoint.action = history::SavepointAction::roll_back;
            break;
        default: return;
    }
    events_.accept(savepoint);
}

}  // namespace isotap::mysql
