#include "protocol/mysql/isolation_settings.hpp"

#include <utility>

#include "protocol/sql/transaction_modes.hpp"

namespace isotap::mysql {

using history::IsolationLevel;
using history::LevelSource;
using sql::SettingScope;
using sql::Switch;
using sql::TransactionVerb;

namespace {

void apply(const sql::TransactionControl& control, LevelSource source, Isolation& to) noexcept {
    if (control.sets_level) {
        to.level = control.level;
        to.source = control.level == IsolationLevel::unknown ? LevelSource::unknown : source;
    }
    if (control.read_only != Switch::unsaid) {
        to.read_only = control.read_only == Switch::on;
    }
}

}  // namespace

void IsolationSettings::set(const sql::TransactionControl& control) noexcept {
    if (control.verb == TransactionVerb::reset) {
        // The default of the session is the global value, which this session has not seen.
        if (control.sets_level) doubt();
        return;
    }
    if (control.verb != TransactionVerb::set ||
        (!control.sets_level && control.read_only == Switch::unsaid)) {
        return;  // autocommit, say: nothing is set for the next transaction
    }
    switch (control.scope) {
        case SettingScope::next_transaction:
        case SettingScope::this_transaction:
            if (!next_) next_ = Once{session_};
            apply(control, LevelSource::transaction, next_->isolation);
            next_->certain = next_->certain || control.sets_level;
            break;
        case SettingScope::session:
        case SettingScope::local: apply(control, LevelSource::session, session_); break;
        case SettingScope::global: break;
    }
}

void IsolationSettings::reported(std::string_view variable, std::string_view value) noexcept {
    if (variable == "transaction_isolation" || variable == "tx_isolation") {
        session_.level = sql::level_named(value);
        session_.source = LevelSource::reported;
    } else if (variable == "transaction_read_only" || variable == "tx_read_only") {
        session_.read_only = value == "ON" || value == "1";
    }
}

void IsolationSettings::reset() noexcept {
    session_ = {};
    next_.reset();
    used_.reset();
}

void IsolationSettings::doubt() noexcept {
    session_.level = IsolationLevel::unknown;
    session_.source = LevelSource::unknown;
}

void IsolationSettings::ended_by_server() noexcept {
    if (used_ && !next_) {
        next_ = used_;
    }
    used_.reset();
}

void IsolationSettings::ended() noexcept {
    if (used_) {
        used_->certain = false;
    }
    ended_by_server();
}

Isolation IsolationSettings::take(const sql::TransactionControl& first) noexcept {
    // A SET that follows does not start the transaction that the last one was for.
    const bool setting = first.verb == TransactionVerb::set || first.verb == TransactionVerb::reset;
    Isolation taken = session_;
    used_.reset();
    if (!setting && next_) {
        taken = next_->isolation;
        if (!next_->certain && taken.level != session_.level) {
            taken.level = IsolationLevel::unknown;
            taken.source = LevelSource::unknown;
        }
        used_ = std::exchange(next_, std::nullopt);
    }
    if (first.verb == TransactionVerb::begin) {
        apply(first, LevelSource::transaction, taken);
    }
    return taken;
}

}  // namespace isotap::mysql
