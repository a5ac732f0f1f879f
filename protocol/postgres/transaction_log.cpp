#include "protocol/postgres/transaction_log.hpp"

#include "protocol/sql/transaction_modes.hpp"

namespace isotap::postgres {

using history::IsolationLevel;
using history::LevelSource;
using sql::SettingScope;
using sql::Switch;
using sql::TransactionControl;

namespace {

/// What a statement says about a level, over what was known before.
KnownLevel changed(KnownLevel known, const TransactionControl& control, LevelSource source) {
    if (control.sets_level) {
        known.level = control.level;
        known.source = source;
    }
    if (control.read_only != Switch::unsaid) {
        known.read_only = control.read_only == Switch::on;
    }
    return known;
}

}  // namespace

void TransactionLog::set_initial_level(std::string_view name) noexcept {
    const IsolationLevel level = sql::level_named(name);
    if (level != IsolationLevel::unknown) {
        initial_ = {level, LevelSource::startup_option, false};
        session_level_ = initial_;
    }
}

history::StatementRef TransactionLog::next_statement(bool begins, Time at) {
    if (!open_) {
        open(!begins, session_level_, at);
    }
    return {id_, ++ordinal_};
}

void TransactionLog::on_begun(const TransactionControl& control, Time at) {
    if (!open_) {
        open(false, session_level_, at);
    }
    if (control.sets_level || control.read_only != Switch::unsaid) {
        level_ = changed(level_, control, LevelSource::transaction);
        tell_level();
    }
}

void TransactionLog::on_set(const TransactionControl& control) {
    if (control.verb == sql::TransactionVerb::discard_all ||
        (control.verb == sql::TransactionVerb::reset && control.scope == SettingScope::session)) {
        session_level_ = initial_;
        session_set_ = true;
        return;
    }
    if (control.verb != sql::TransactionVerb::set) {
        return;
    }
    switch (control.scope) {
        case SettingScope::this_transaction:
        case SettingScope::next_transaction:
            level_ = changed(level_, control, LevelSource::transaction);
            tell_level();
            break;
        case SettingScope::session:
            session_level_ = changed(session_level_, control, LevelSource::session);
            session_set_ = true;
            break;
        case SettingScope::local:
        case SettingScope::global: break;
    }
}

void TransactionLog::on_savepoint(history::StatementRef statement, history::SavepointAction action,
                                  std::string_view name) {
    events_.accept(history::Savepoint{statement, action, name});
}

void TransactionLog::on_rolled_back_to(history::StatementRef statement, std::string_view name) {
    failed_ = false;
    if (session_set_) {
        // In front of the savepoint or behind it: that decides whether it holds.
        session_level_.level = IsolationLevel::unknown;
        session_level_.source = LevelSource::unknown;
    }
    on_savepoint(statement, history::SavepointAction::roll_back, name);
}

void TransactionLog::end(history::Outcome outcome, Time requested, Time at, bool incomplete) {
    events_.accept(history::TransactionEnded{id_, requested, at, outcome, incomplete});
    open_ = false;
    failed_ = false;
    if (outcome != history::Outcome::committed) {
        // A SET inside a transaction that fails never happened.
        session_level_ = session_before_;
    }
}

void TransactionLog::chain(Time at) {
    open(false, KnownLevel(level_), at);
}

void TransactionLog::on_found_open(Time at) {
    if (!open_) {
        open(false, session_level_, at);
    }
}

void TransactionLog::open(bool implicit, const KnownLevel& level, Time at) {
    id_ = ids_.next();
    ordinal_ = 0;
    open_ = true;
    failed_ = false;
    level_ = level;
    session_before_ = session_level_;
    session_set_ = false;
    events_.accept(history::TransactionBegan{session_, id_, at, implicit});
    tell_level();
}

void TransactionLog::tell_level() {
    events_.accept(history::TransactionLevel{id_, level_.level, level_.source, level_.read_only});
}

}  // namespace isotap::postgres
