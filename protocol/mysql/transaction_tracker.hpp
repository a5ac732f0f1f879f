#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"

#include "protocol/mysql/isolation_settings.hpp"
#include "protocol/mysql/server_status.hpp"
#include "protocol/sql/transaction_control.hpp"

namespace isotap::mysql {

/// Where transactions begin and how they end, as the server tells it: by the flags of its replies.
/// What a statement says is asked only where the flags leave a question open: COMMIT or ROLLBACK,
/// and whether one transaction has followed another.
///
/// What cannot be known is reported as indeterminate and incomplete, never as a guess. One
/// statement at a time. Not thread-safe.
class TransactionTracker {
  public:
    TransactionTracker(history::SessionId session, history::EventSink& events,
                       history::TransactionIds& ids) noexcept
        : session_(session), events_(events), ids_(ids) {}

    [[nodiscard]] IsolationSettings& isolation() noexcept { return isolation_; }

    /// Of the open transaction, where it is known from its beginning and nobody has set another
    /// level since. One that is assumed is what the session's variable says.
    [[nodiscard]] std::optional<history::IsolationLevel> level() const noexcept;

    /// Nobody has said what level it is.
    [[nodiscard]] bool level_assumed() const noexcept {
        return current_isolation_.source == history::LevelSource::server_default;
    }

    /// The first status of the session.
    void started(ServerStatus status) noexcept { take(status); }

    /// A statement is with the server. Opens a transaction for it where none is open.
    history::StatementRef statement_began(const sql::TransactionControl& control, Time at);

    /// It is through. `requested` is when it reached us.
    void statement_succeeded(const sql::TransactionControl& control, ServerStatus status,
                             Time requested, Time at);
    void statement_failed(const sql::TransactionControl& control, std::uint32_t error,
                          Time requested, Time at);

    /// The server's flags in a reply to a command that runs no statement.
    void status_seen(ServerStatus status, Time at);

    /// The server's session tracker names the level of the open transaction.
    void level_reported(history::IsolationLevel level);

    /// The server has forgotten all about the session: COM_RESET_CONNECTION, COM_CHANGE_USER.
    void session_reset(ServerStatus status, Time at);

    /// Something of the open transaction went by unseen.
    void mark_incomplete() noexcept { incomplete_ = true; }

    /// Nothing more will be seen: every open end is unknown.
    void lost(Time at);

    /// The connection is gone; `in_flight` is the statement that got no answer, if any.
    void closed(const sql::TransactionControl* in_flight, bool may_commit, Time requested, Time at);

  private:
    struct PreparedXa {
        std::string xid;
        history::TransactionId transaction{};
        bool incomplete = false;
    };

    void open(const sql::TransactionControl& first, Time at);
    void emit_level();
    void end(history::Outcome outcome, Time requested, Time at);
    void end_unclear(Time requested, Time at);
    void end_by_verb(const sql::TransactionControl& control, Time requested, Time at);
    void end_by_flag(const sql::TransactionControl& control, bool was_in_transaction,
                     Time requested, Time at);
    void park_prepared_xa(std::string_view xid, Time requested, Time at);
    bool end_parked(std::string_view xid, history::Outcome outcome, Time requested, Time at);
    void end_parked_unclear(Time at);
    void emit_end(history::TransactionId transaction, history::Outcome outcome, bool incomplete,
                  Time requested, Time at);
    [[nodiscard]] bool waits_with_savepoint(const sql::TransactionControl& control) noexcept;
    void take_next_level(const sql::TransactionControl& control);
    void emit_savepoint(const sql::TransactionControl& control);
    void take(ServerStatus status) noexcept;

    history::SessionId session_;
    history::EventSink& events_;
    history::TransactionIds& ids_;
    IsolationSettings isolation_;

    bool open_ = false;  ///< `transaction_` has begun and not ended
    history::TransactionId transaction_{};
    std::uint32_t ordinal_ = 0;
    bool incomplete_ = false;
    bool maybe_rolled_back_ = false;  ///< by an error that undoes all under some settings
    bool waits_with_savepoint_ =
        false;  ///< `transaction_` is one that the server does not know yet
    Isolation current_isolation_;

    bool in_transaction_ = false;  ///< what the server said last
    bool autocommit_ = true;
    std::vector<PreparedXa> parked_;
};

}  // namespace isotap::mysql
