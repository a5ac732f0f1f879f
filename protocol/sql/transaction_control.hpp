#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isotap/history/events.hpp"

#include "protocol/sql/lexer_state.hpp"

namespace isotap::sql {

enum class TransactionVerb : std::uint8_t {
    none,   ///< an ordinary statement
    begin,  ///< BEGIN, START TRANSACTION
    commit,
    rollback,
    savepoint,
    release_savepoint,
    rollback_to_savepoint,
    prepare,          ///< PREPARE TRANSACTION
    commit_prepared,  ///< another transaction's; this session stays where it is
    rollback_prepared,
    xa_begin,
    xa_end,
    xa_prepare,
    xa_commit,
    xa_rollback,
    set,              ///< a level, a mode or autocommit
    reset,            ///< the same, back to a default that the text does not tell
    discard_all,      ///< PostgreSQL: also ends what the session has set
    implicit_commit,  ///< MySQL family: ends the open transaction before it does its own work
};

/// What a `set` or `reset` holds for.
enum class SettingScope : std::uint8_t {
    this_transaction,
    next_transaction,  ///< MySQL family: SET TRANSACTION without a scope
    session,
    local,   ///< PostgreSQL: a session setting until the end of this transaction
    global,  ///< not for this session
};

enum class Switch : std::uint8_t {
    unsaid,
    on,
    off,
    unclear,  ///< said, but not by this text: a variable, DEFAULT, a parameter
};

/// What a statement does to transactions if it succeeds. A small value; views into the text.
struct TransactionControl {
    TransactionVerb verb = TransactionVerb::none;

    bool sets_level = false;
    history::IsolationLevel level = history::IsolationLevel::unknown;  ///< unknown: as `unclear`
    Switch read_only = Switch::unsaid;
    Switch deferrable = Switch::unsaid;
    SettingScope scope = SettingScope::this_transaction;  ///< of the three above, where verb is set
    Switch autocommit = Switch::unsaid;                   ///< of the session

    Switch chain = Switch::unsaid;    ///< AND CHAIN, AND NO CHAIN
    Switch release = Switch::unsaid;  ///< RELEASE, NO RELEASE: the server closes the connection

    /// Of a savepoint, as it is spelled, quotes included: see `savepoint_name`. Of a prepared or XA
    /// transaction, the identifier as it is spelled.
    std::string_view name;

    /// False when there are words that we do not know, or when the text cannot be read for sure:
    /// the verb stands, the rest may be missing something.
    bool complete = true;
};

/// Reads one statement. On the relay path: no allocation, and an ordinary statement costs its first
/// word. `statement` is the text of one statement (see StatementSplitter); a semicolon behind it
/// does no harm.
TransactionControl read_transaction_control(std::string_view statement,
                                            const LexerState& state) noexcept;

/// The name of a savepoint: the same for all spellings that mean the same one. PostgreSQL folds
/// names without quotes to small letters; the MySQL family compares in any case.
std::string savepoint_name(std::string_view spelled, Dialect dialect);

}  // namespace isotap::sql
