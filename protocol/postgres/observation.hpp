#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "isotap/base/limits.hpp"
#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"

#include "protocol/postgres/backend/error_response.hpp"
#include "protocol/postgres/backend/ready_for_query.hpp"
#include "protocol/postgres/frontend/startup.hpp"
#include "protocol/postgres/prepared_texts.hpp"
#include "protocol/postgres/reply.hpp"
#include "protocol/postgres/transaction_log.hpp"
#include "protocol/sql/lexer_state.hpp"

namespace isotap::postgres {

/// Tells as events what a conversation shows: sessions, transactions, statements.
///
/// Is told by the conversation, in the order in which the server answers: when a request has become
/// the one being answered, and what the answer was. `kept` is always the body of that request.
class Observation {
  public:
    Observation(history::SessionId session, history::EventSink& events,
                history::TransactionIds& ids, const Limits& limits);

    void on_start(const frontend::Startup& startup, Time now);

    /// The server has come to this request, which reached us at `at`.
    void on_front(Reply request, Bytes kept, bool cut, Time at);
    /// The server has done what a Parse, Bind, Close or Execute asked for.
    void on_settled(Reply request, Bytes kept, bool cut);
    void on_completed(Bytes kept, std::string_view tag, std::uint64_t rows, Time now);
    void on_suspended(Time now);
    void on_error(Reply request, Bytes kept, Time at, const backend::ErrorResponse& error,
                  Time now);
    void on_ready(backend::TransactionStatus status, Time now);
    void on_parameter(Bytes body);

    /// What was captured of the statement that is being answered. Until told: nothing to capture.
    void cover(history::Coverage coverage, history::NameId reason) noexcept {
        coverage_ = coverage;
        reason_ = reason;
    }
    /// The statement that is being answered; where there is none, the one before.
    [[nodiscard]] const history::StatementRef& statement() const noexcept { return statement_; }
    [[nodiscard]] const sql::LexerState& lexing() const noexcept { return lexing_; }
    /// The open transaction has had an error.
    [[nodiscard]] bool failed() const noexcept { return transactions_.failed(); }
    [[nodiscard]] bool in_transaction() const noexcept { return transactions_.open(); }

    /// The conversation is not understood any more.
    void on_lost(Time now);
    /// The connection is gone; `asked` says that the server still owed an answer.
    void on_closed(bool asked, Time now);

  private:
    void begin(std::string_view text, bool cut, Time at);
    void begin_next_of_query(Bytes kept, Time at);
    void end(history::StatementOutcome outcome, std::string_view tag, std::uint64_t rows,
             const history::SqlState& state, Time now);
    void apply(std::string_view tag, Time now);
    void apply_rollback(Time now);
    void begin_what_failed(Reply request, Bytes kept, Time at);

    history::SessionId session_;
    history::EventSink& events_;
    TransactionLog transactions_;
    PreparedTexts statements_;
    PreparedTexts portals_;
    sql::LexerState lexing_;

    // the request that is being answered
    Time asked_at_{};
    bool in_query_ = false;  ///< a Query, of which `query_done_` bytes have been told
    bool query_cut_ = false;
    std::size_t query_done_ = 0;

    // the statement that is being answered
    bool statement_open_ = false;
    history::StatementRef statement_;
    history::Coverage coverage_ = history::Coverage::none;
    history::NameId reason_ = history::no_name;
    sql::TransactionControl control_;  ///< its `name` is empty: `savepoint_` has it
    std::string savepoint_;
};

}  // namespace isotap::postgres
