#include "protocol/sql/transaction_modes.hpp"

#include <algorithm>
#include <array>

#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/set_assignment.hpp"

namespace isotap::sql {
namespace {

using history::IsolationLevel;

struct LevelName {
    std::string_view spelling;  ///< small letters, words parted by a space
    IsolationLevel level;
};

constexpr std::array<LevelName, 5> level_names{{
    {"read uncommitted", IsolationLevel::read_uncommitted},
    {"read committed", IsolationLevel::read_committed},
    {"repeatable read", IsolationLevel::repeatable_read},
    {"serializable", IsolationLevel::serializable},
    {"snapshot", IsolationLevel::snapshot},
}};

/// The numbers that the MySQL family takes for the names.
constexpr std::array<IsolationLevel, 4> numbered_levels{
    IsolationLevel::read_uncommitted, IsolationLevel::read_committed,
    IsolationLevel::repeatable_read, IsolationLevel::serializable};

bool same_words(std::string_view spelled, std::string_view wanted) noexcept {
    return std::equal(spelled.begin(), spelled.end(), wanted.begin(), wanted.end(),
                      [](char given, char letter) {
                          return given == '-' ? letter == ' ' : same_letter(given, letter);
                      });
}

Switch switch_of(std::string_view value) noexcept {
    for (const std::string_view yes : {"on", "1", "true", "yes", "t", "y"}) {
        if (same_words(value, yes)) {
            return Switch::on;
        }
    }
    for (const std::string_view no : {"off", "0", "false", "no", "f", "n"}) {
        if (same_words(value, no)) {
            return Switch::off;
        }
    }
    return Switch::unclear;
}

void read_level(TokenCursor& cursor, TransactionControl& control) noexcept {
    control.sets_level = true;
    if (cursor.accept(Keyword::serializable)) {
        control.level = IsolationLevel::serializable;
    } else if (cursor.accept(Keyword::snapshot)) {
        control.level = IsolationLevel::snapshot;
    } else if (cursor.accept(Keyword::repeatable)) {
        control.level = IsolationLevel::repeatable_read;
        cursor.accept(Keyword::read);
    } else if (cursor.accept(Keyword::read)) {
        const bool committed = cursor.accept(Keyword::committed);
        control.level =
            committed ? IsolationLevel::read_committed : IsolationLevel::read_uncommitted;
        if (!committed && !cursor.accept(Keyword::uncommitted)) {
            control.level = IsolationLevel::unknown;
        }
    }
}

/// One assignment of ours; an empty value is one that the text does not tell.
void assign(Keyword name, SettingScope scope, std::string_view value,
            TransactionControl& control) noexcept {
    if (name == Keyword::autocommit) {
        if (scope != SettingScope::global) {
            control.autocommit = switch_of(value);
        }
        return;
    }
    // A value has one place for the scope: a second assignment with another one does not fit.
    const bool first = !control.sets_level && control.read_only == Switch::unsaid &&
                       control.deferrable == Switch::unsaid;
    control.complete = control.complete && (first || control.scope == scope);
    control.scope = scope;
    switch (name) {
        case Keyword::transaction_isolation:
        case Keyword::tx_isolation:
        case Keyword::default_transaction_isolation:
            control.sets_level = true;
            control.level = level_named(value);
            return;
        case Keyword::transaction_read_only:
        case Keyword::tx_read_only:
        case Keyword::default_transaction_read_only: control.read_only = switch_of(value); return;
        default: control.deferrable = switch_of(value); return;
    }
}

bool is_postgres_setting(Keyword name) noexcept {
    switch (name) {
        case Keyword::transaction_isolation:
        case Keyword::transaction_read_only:
        case Keyword::transaction_deferrable:
        case Keyword::default_transaction_isolation:
        case Keyword::default_transaction_read_only:
        case Keyword::default_transaction_deferrable: return true;
        default: return false;
    }
}

bool is_mysql_setting(Keyword name) noexcept {
    switch (name) {
        case Keyword::autocommit:
        case Keyword::transaction_isolation:
        case Keyword::tx_isolation:
        case Keyword::transaction_read_only:
        case Keyword::tx_read_only: return true;
        default: return false;
    }
}

bool holds_for_this_transaction(Keyword name) noexcept {
    return name == Keyword::transaction_isolation || name == Keyword::transaction_read_only ||
           name == Keyword::transaction_deferrable;
}

void read_postgres_set(TokenCursor& cursor, TransactionControl& control) noexcept {
    SettingScope scope = SettingScope::session;
    if (cursor.accept(Keyword::local)) {
        scope = SettingScope::local;
    } else if (cursor.accept(Keyword::session) && cursor.accept(Keyword::characteristics)) {
        cursor.accept(Keyword::as);
        cursor.accept(Keyword::transaction);
        control.verb = TransactionVerb::set;
        control.scope = SettingScope::session;
        read_transaction_modes(cursor, control);
        return;
    }
    if (cursor.accept(Keyword::transaction)) {
        control.scope = SettingScope::this_transaction;
        read_transaction_modes(cursor, control);
        // SET TRANSACTION SNAPSHOT '…' says which snapshot, not which level.
        control.verb = TransactionVerb::set;
        return;
    }
    const Keyword name = cursor.token().keyword;
    if (!is_postgres_setting(name)) {
        return;
    }
    cursor.advance();
    if (!cursor.accept(Keyword::to) && !cursor.accept(TokenKind::equals)) {
        return;
    }
    if (holds_for_this_transaction(name)) {
        scope = SettingScope::this_transaction;
    }
    control.verb = cursor.is(Keyword::default_) ? TransactionVerb::reset : TransactionVerb::set;
    assign(name, scope, read_set_value(cursor).value_or(""), control);
}

void read_mysql_set(TokenCursor& cursor, TransactionControl& control) noexcept {
    if (cursor.is(Keyword::statement)) {
        return;  // SET STATEMENT … FOR: holds for one statement, and undoes itself
    }
    if (cursor.is(Keyword::password)) {
        control.verb = TransactionVerb::implicit_commit;
        return;
    }
    SettingScope scope = SettingScope::next_transaction;
    TokenCursor ahead = cursor;
    if (read_set_scope(ahead.token().keyword, scope)) {
        ahead.advance();
    }
    if (ahead.accept(Keyword::transaction)) {
        cursor = ahead;
        control.verb = TransactionVerb::set;
        control.scope = scope;
        read_transaction_modes(cursor, control);
        return;
    }
    SettingScope sticky = SettingScope::session;
    do {
        const SetAssignment made = read_set_assignment(cursor, sticky);
        if (!is_mysql_setting(made.name)) {
            continue;
        }
        control.verb = TransactionVerb::set;
        // @@transaction_isolation without a scope is the next transaction's, not the session's.
        const bool next = made.bare_variable && made.name != Keyword::autocommit;
        assign(made.name, next ? SettingScope::next_transaction : made.scope,
               made.value.value_or(""), control);
    } while (cursor.accept(TokenKind::comma));
}

}  // namespace

IsolationLevel level_named(std::string_view value) noexcept {
    for (const LevelName& name : level_names) {
        if (same_words(value, name.spelling)) {
            return name.level;
        }
    }
    if (value.size() == 1 && value[0] >= '0' && value[0] <= '3') {
        return numbered_levels[static_cast<std::size_t>(value[0] - '0')];
    }
    return IsolationLevel::unknown;
}

void read_transaction_modes(TokenCursor& cursor, TransactionControl& control) noexcept {
    for (;;) {
        if (cursor.accept(Keyword::isolation)) {
            cursor.accept(Keyword::level);
            read_level(cursor, control);
        } else if (cursor.accept(Keyword::read)) {
            control.read_only = cursor.accept(Keyword::only) ? Switch::on : Switch::off;
            cursor.accept(Keyword::write);
        } else if (cursor.accept(Keyword::deferrable)) {
            control.deferrable = Switch::on;
        } else if (cursor.accept(Keyword::not_)) {
            control.deferrable = Switch::off;
            cursor.accept(Keyword::deferrable);
        } else if (cursor.accept(Keyword::with)) {
            cursor.accept(Keyword::consistent);
            cursor.accept(Keyword::snapshot);
        } else if (!cursor.accept(TokenKind::comma) && !cursor.accept(Keyword::pessimistic) &&
                   !cursor.accept(Keyword::optimistic)) {
            return;
        }
    }
}

void read_set(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept {
    if (dialect == Dialect::mysql) {
        read_mysql_set(cursor, control);
    } else {
        read_postgres_set(cursor, control);
    }
    if (!cursor.at_end() && control.verb == TransactionVerb::set) {
        control.complete = false;
    }
}

void read_reset(TokenCursor& cursor, TransactionControl& control) noexcept {
    const Keyword name = cursor.token().keyword;
    const bool all = name == Keyword::all;
    if (!all && !is_postgres_setting(name)) {
        return;
    }
    cursor.advance();
    control.verb = TransactionVerb::reset;
    control.scope = SettingScope::session;
    control.sets_level = all || name == Keyword::default_transaction_isolation;
    if (all || name == Keyword::default_transaction_read_only) {
        control.read_only = Switch::unclear;
    }
    if (all || name == Keyword::default_transaction_deferrable) {
        control.deferrable = Switch::unclear;
    }
}

}  // namespace isotap::sql
