#pragma once

#include <cstdint>
#include <string_view>

#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"

#include "protocol/sql/transaction_control.hpp"

namespace isotap::postgres {

/// An isolation level and how it is known.
struct KnownLevel {
    history::IsolationLevel level = history::IsolationLevel::read_committed;
    history::LevelSource source = history::LevelSource::server_default;
    bool read_only = false;
};

/// The transactions of one session, told as events: when one began and ended, at which level it
/// runs, which statement is which. Knows only what the server has confirmed.
class TransactionLog {
  public:
    TransactionLog(history::SessionId session, history::EventSink& events,
                   history::TransactionIds& ids) noexcept
        : session_(session), events_(events), ids_(ids) {}

    /// The level that the session began with, from its start-up packet.
    void set_initial_level(std::string_view name) noexcept;

    [[nodiscard]] bool open() const noexcept { return open_; }
    [[nodiscard]] bool failed() const noexcept { return failed_; }

    /// The next statement. Opens a transaction where none is open; `begins` says that it is a
    /// BEGIN.
    history::StatementRef next_statement(bool begins, Time at);

    /// A BEGIN succeeded; what it says of a level holds for what is open.
    void on_begun(const sql::TransactionControl& control, Time at);
    /// A SET or RESET that concerns levels succeeded.
    void on_set(const sql::TransactionControl& control);
    void on_savepoint(history::StatementRef statement, history::SavepointAction action,
                      std::string_view name);
    /// What came after the savepoint is undone, an error with it.
    void on_rolled_back_to(history::StatementRef statement, std::string_view name);
    /// The open transaction has had an error: unless it goes back to a savepoint, it is aborted.
    void on_failed() noexcept { failed_ = true; }

    void end(history::Outcome outcome, Time requested, Time at, bool incomplete = false);
    /// AND CHAIN: the next one begins at once and inherits the level.
    void chain(Time at);

    /// The server says that a transaction is open which was not seen to begin.
    void on_found_open(Time at);

  private:
    void open(bool implicit, const KnownLevel& level, Time at);
    void tell_level();

    history::SessionId session_;
    history::EventSink& events_;
    history::TransactionIds& ids_;
    history::TransactionId id_{};
    std::uint32_t ordinal_ = 0;
    bool open_ = false;
    bool failed_ = false;
    KnownLevel initial_;        ///< to which RESET and DISCARD ALL return
    KnownLevel session_level_;  ///< what the next transaction begins with
    KnownLevel
        session_before_;        ///< what it was when the open transaction began: kept if that fails
    KnownLevel level_;          ///< of the open transaction
    bool session_set_ = false;  ///< in the open transaction
};

}  // namespace isotap::postgres
