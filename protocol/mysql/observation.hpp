#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"

#include "protocol/mysql/channel.hpp"
#include "protocol/mysql/command.hpp"
#include "protocol/mysql/prepared_statements.hpp"
#include "protocol/mysql/reply_reader.hpp"
#include "protocol/mysql/transaction_tracker.hpp"
#include "protocol/sql/lexer_state.hpp"

namespace isotap::mysql {

/// Tells the history of one session, as the conversation finds it out: which statements ran, in
/// which transactions, with which outcome. Emits to the sink at once. Not thread-safe.
class Observation {
  public:
    Observation(history::SessionId session, const Limits& limits, history::EventSink& events,
                history::TransactionIds& ids);

    void began(const ChannelFacts& channel, Time at);
    void closed(Time at);

    /// From here on nothing is known any more: what is open has an unknown end.
    void lost(Time at);

    /// The server works on this text from now on. Several statements may stand in it.
    void text_sent(std::string_view text, bool cut, Time at);
    /// A text may hold more than one statement.
    void several_allowed(bool allowed) noexcept { several_allowed_ = allowed; }
    /// Behind the statement that the server works on stand these, in the text that it got.
    void others_sent(std::string_view script) { script_ = script; }
    void statement_prepared(std::uint32_t id, std::string_view text, bool cut);
    void statement_executed(std::uint32_t id, Time at);
    void statement_closed(std::uint32_t id) noexcept { prepared_.remove(id); }

    /// What was captured of the statement that the server works on. Until told: what is said of
    /// those that nobody has looked at.
    void cover(history::Coverage coverage, history::NameId reason) noexcept {
        in_flight_.coverage = coverage;
        in_flight_.reason = reason;
    }
    [[nodiscard]] history::Coverage coverage() const noexcept { return in_flight_.coverage; }
    /// The statement that the server works on, or the one before.
    [[nodiscard]] const history::StatementRef& statement() const noexcept { return in_flight_.ref; }
    /// What the server says that the session's transactions run at; nothing: it does not say. An
    /// assumption will not do where a verdict is made of it.
    void session_level(std::optional<std::string_view> value) noexcept {
        value ? transactions_.isolation().reported("transaction_isolation", *value)
              : transactions_.isolation().doubt();
    }
    /// See TransactionTracker.
    [[nodiscard]] std::optional<history::IsolationLevel> level() const noexcept {
        return transactions_.level();
    }
    [[nodiscard]] bool level_assumed() const noexcept { return transactions_.level_assumed(); }
    [[nodiscard]] const sql::LexerState& lexing() const noexcept { return lexer_state_; }
    /// The session has its settings of the beginning again.
    void settings_reset() noexcept { lexer_state_ = initial_lexing_; }
    /// Something of the open transaction was not seen.
    void mark_incomplete() noexcept { transactions_.mark_incomplete(); }

    void command_succeeded(Command command, const ReplyStep& step, Time at);
    void command_failed(Command command, const ReplyStep& step, Time at);

  private:
    /// The statement that the server works on.
    struct InFlight {
        history::StatementRef ref;
        sql::TransactionControl control;
        std::string name;  ///< what `control.name` is a view of
        Time requested{};
        std::uint64_t rows = 0;
        bool routine = false;  ///< may run statements that we do not see, and give many results
        bool open = false;
        history::Coverage coverage = history::Coverage::opaque;
        history::NameId reason = history::no_name;
        sql::LexerState lexing_after;  ///< once it has succeeded
    };

    void begin_statement(std::string_view text, bool cut, Time at);
    void begin_first_of(std::string_view script, bool cut, Time at);
    bool begin_next_of_script(Time at);
    void result(const ReplyStep& step, Time at);
    void cut_statement(Time at);
    void end_statement(history::StatementOutcome outcome, const ErrorPacket& error, Time at);
    void learn_from(const OkPacket& ok);

    history::SessionId session_;
    history::EventSink& events_;
    PreparedStatements prepared_;
    TransactionTracker transactions_;
    sql::LexerState lexer_state_;
    sql::LexerState initial_lexing_;
    bool several_allowed_ = false;
    InFlight in_flight_;
    std::string script_;  ///< statements of the same text that wait for their turn
    bool script_cut_ = false;
};

}  // namespace isotap::mysql
