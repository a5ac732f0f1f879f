#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "isotap/base/clock.hpp"
#include "isotap/history/ids.hpp"
#include "isotap/history/version.hpp"

/// The event contract: all that analysis ever learns about traffic.
///
/// Order. The events of one session come in the order in which they happened there. Between
/// sessions the order of arrival says nothing; `at` does, as far as one clock can.
/// Life of views. Texts and spans are valid until the sink returns; who needs them longer copies.
/// Cost. Every event is a small flat value; names that repeat are interned (`NameDefined` first).
/// Change. A field is added at the end of its event, with a default, and an event at the end of
/// `Event`; then `contract_version` grows. Nothing changes its meaning.
namespace isotap::history {

inline constexpr std::uint32_t contract_version = 2;

enum class Dialect : std::uint8_t { unknown, postgres, mysql };

enum class IsolationLevel : std::uint8_t {
    unknown,
    read_uncommitted,
    read_committed,
    repeatable_read,
    snapshot,
    serializable,
};

/// How the level of a transaction came to be known, weakest first.
enum class LevelSource : std::uint8_t {
    unknown,
    server_default,  ///< assumed: nobody said otherwise
    startup_option,  ///< in the packet that opened the session
    session,         ///< set for the session by a statement that succeeded
    transaction,     ///< set for this transaction by a statement that succeeded
    reported,        ///< the server said so
};

enum class Outcome : std::uint8_t {
    committed,
    aborted,
    indeterminate,  ///< the connection died while COMMIT was in flight
};

enum class StatementOutcome : std::uint8_t {
    completed,
    suspended,  ///< a portal gave its first rows and waits for the next Execute
    failed,
    skipped,  ///< sent behind a failed statement of the same pipeline, never run
    cut,      ///< the connection died before the answer
};

enum class Coverage : std::uint8_t {
    none,  ///< nothing to capture: BEGIN, SET, a syntax error
    opaque,
    partial,
    full,
};

enum class AccessKind : std::uint8_t {
    read,
    locking_read,   ///< of what is current, not of a snapshot
    doubtful_read,  ///< of either: the transaction has written rows that nobody told of
    insert,
    update,
    remove,
};

constexpr bool is_read(AccessKind kind) noexcept {
    return kind == AccessKind::read || kind == AccessKind::locking_read ||
           kind == AccessKind::doubtful_read;
}

enum class SavepointAction : std::uint8_t { set, release, roll_back };

/// A SQLSTATE, or five spaces where there is none.
using SqlState = std::array<char, 5>;
inline constexpr SqlState no_sql_state{' ', ' ', ' ', ' ', ' '};

struct NameDefined {
    NameId id{};
    std::string_view text;
};

struct SessionBegan {
    SessionId session{};
    Time at{};
    Dialect dialect = Dialect::unknown;
    std::string_view user;
    std::string_view database;
    std::string_view application;
};

struct SessionEnded {
    SessionId session{};
    Time at{};
};

struct TransactionBegan {
    SessionId session{};
    TransactionId transaction{};
    Time at{};              ///< when its first request reached us: it cannot have started earlier
    bool implicit = false;  ///< an autocommit unit: one statement, or one pipeline up to its Sync
};

/// Comes when a level becomes known or changes; the last one before `TransactionEnded` counts.
struct TransactionLevel {
    TransactionId transaction{};
    IsolationLevel level = IsolationLevel::unknown;
    LevelSource source = LevelSource::unknown;
    bool read_only = false;
};

struct TransactionEnded {
    TransactionId transaction{};
    Time requested{};  ///< when the request that ended it reached us
    Time at{};         ///< when the server's answer did: it cannot have ended later
    Outcome outcome = Outcome::committed;
    bool incomplete = false;  ///< something of it was not captured: silence proves nothing
};

struct StatementBegan {
    StatementRef statement;
    Time at{};
    std::string_view text;
    bool text_cut = false;  ///< the text is longer than `Limits::observed_message`
};

struct StatementEnded {
    StatementRef statement;
    Time at{};
    StatementOutcome outcome = StatementOutcome::completed;
    Coverage coverage = Coverage::none;
    SqlState sql_state = no_sql_state;
    std::uint32_t error_number = 0;  ///< MySQL family; 0 elsewhere
    std::uint64_t rows = 0;          ///< as the server counts them in its completion message
    NameId reason = no_name;         ///< why coverage is not full
    std::string_view tag;            ///< PostgreSQL's command tag; empty elsewhere
};

/// What the statements from `statement` on did is undone by `roll_back` to the savepoint `name`.
/// The same savepoint has the same name, however the statements spelled it.
struct Savepoint {
    StatementRef statement;
    SavepointAction action = SavepointAction::set;
    std::string_view name;
};

/// One statement touched one row. A read has only `before`: the version that it saw.
struct Access {
    StatementRef statement;
    NameId table{};
    RowKey row;
    AccessKind kind = AccessKind::read;
    Version before;  ///< seen or overwritten; an insert has `unborn`
    Version after;   ///< made; a delete has `dead`
};

/// The writers of a row, oldest first, as a statement found them in its wList.
struct WriterList {
    StatementRef statement;
    NameId table{};
    RowKey row;
    std::uint64_t trimmed = 0;  ///< entries that were dropped from the front
    std::span<const Version> writers;
};

/// What a row key stands for, in words that a person knows.
struct RowLabelled {
    NameId table{};
    RowKey row;
    std::string_view label;
};

/// The columns of a row before and after a write, as the server prints them; empty where unborn or
/// dead. Only where predicates are judged: costly.
struct RowImage {
    StatementRef statement;
    NameId table{};
    RowKey row;
    std::string_view before;
    std::string_view after;
};

/// A statement chose its rows by a condition, and did so in the version of the table that it saw.
struct PredicateRead {
    StatementRef statement;
    PredicateId predicate{};
    NameId table{};
    std::string_view condition;
};

/// The server's own answer over row images: whether a row met a predicate before a write and after.
struct PredicateMatch {
    PredicateId predicate{};
    StatementRef writer;
    RowKey row;
    bool before = false;
    bool after = false;
};

/// The server's own number for a transaction or for one of its subtransactions.
struct Alias {
    TransactionId transaction{};
    std::uint64_t server_transaction = 0;
};

/// Something was lost or could not be captured. With a transaction: that one is incomplete.
/// Without: every transaction of the session (or, without a session, of the run) that was open
/// then.
struct Gap {
    SessionId session{};
    TransactionId transaction{};
    Time at{};
    std::uint64_t count = 1;
    NameId reason = no_name;
};

/// A statement emptied a table, without a word on its rows (TRUNCATE). It had kept all others away
/// from the table by then, and went on to do so until its transaction ended.
struct TableEmptied {
    StatementRef statement;
    NameId table{};
};

/// A cursor that outlives its transaction has shown a row: the statement that declared it has read
/// it. Comes after `TransactionEnded`, if anything of it does, from the session that was his.
struct HeldRead {
    SessionId session{};
    StatementRef statement;
    NameId table{};
    RowKey row;
    Version before;  ///< as of an `Access`
};

using Event = std::variant<NameDefined, SessionBegan, SessionEnded, TransactionBegan,
                           TransactionLevel, TransactionEnded, StatementBegan, StatementEnded,
                           Savepoint, Access, WriterList, RowLabelled, RowImage, PredicateRead,
                           PredicateMatch, Alias, Gap, TableEmptied, HeldRead>;

/// Takes events on the thread of whoever produces them. Must not block, throw or re-enter.
class EventSink {
  public:
    EventSink() = default;
    EventSink(const EventSink&) = delete;
    EventSink& operator=(const EventSink&) = delete;
    virtual ~EventSink() = default;

    virtual void accept(const Event& event) noexcept = 0;
};

}  // namespace isotap::history
