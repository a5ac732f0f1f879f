#include "protocol/mysql/observation.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/mysql/messages/session_track.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/lexing_change.hpp"
#include "protocol/sql/statement_splitter.hpp"
#include "protocol/sql/token_cursor.hpp"

namespace isotap::mysql {

using history::StatementOutcome;

namespace {

/// Text of prepared statements that one session may make us keep.
constexpr std::size_t prepared_bytes_in_messages = 16;

/// True unless the statement surely runs no others: a routine may commit, roll back, and give any
/// number of results.
bool may_be_routine(std::string_view text, const sql::LexerState& lexing) {
    using sql::Keyword;
    static constexpr std::array plain{Keyword::select,  Keyword::insert,  Keyword::update,
                                      Keyword::delete_, Keyword::replace, Keyword::set,
                                      Keyword::show,    Keyword::with,    Keyword::table,
                                      Keyword::values,  Keyword::commit,  Keyword::rollback};
    sql::TokenCursor cursor(text, lexing);
    while (cursor.accept(sql::TokenKind::open_paren)) {
    }
    return std::none_of(plain.begin(), plain.end(),
                        [&cursor](Keyword word) { return cursor.is(word); });
}

/// What the statement is about, apart from its text: a savepoint by its name, all else as spelled.
std::string kept_name(const sql::TransactionControl& control) {
    switch (control.verb) {
        case sql::TransactionVerb::savepoint:
        case sql::TransactionVerb::release_savepoint:
        case sql::TransactionVerb::rollback_to_savepoint:
            return sql::savepoint_name(control.name, sql::Dialect::mysql);
        default: return std::string(control.name);
    }
}

}  // namespace

Observation::Observation(history::SessionId session, const Limits& limits,
                         history::EventSink& events, history::TransactionIds& ids)
    : session_(session),
      events_(events),
      prepared_(limits.named_statements, limits.observed_message * prepared_bytes_in_messages),
      transactions_(session, events, ids) {
    lexer_state_.dialect = history::Dialect::mysql;
}

void Observation::began(const ChannelFacts& channel, Time at) {
    several_allowed_ = channel.in_force.has(Capability::multi_statements);
    lexer_state_.mariadb = channel.mariadb;
    lexer_state_.server_version = channel.server_version;
    lexer_state_.trail_bytes_look_ascii = channel.trail_bytes_look_ascii;
    lexer_state_.no_backslash_escapes = channel.status.has(StatusFlag::no_backslash_escapes);
    lexer_state_.ansi_quotes = channel.mariadb && channel.status.has(StatusFlag::ansi_quotes);
    initial_lexing_ = lexer_state_;
    transactions_.started(channel.status);
    events_.accept(history::SessionBegan{session_, at, history::Dialect::mysql, channel.user,
                                         channel.database, channel.program});
}

void Observation::closed(Time at) {
    const bool in_flight = in_flight_.open;
    cut_statement(at);
    const bool may_commit =
        in_flight_.control.verb != sql::TransactionVerb::none || in_flight_.routine;
    transactions_.closed(in_flight ? &in_flight_.control : nullptr, may_commit,
                         in_flight_.requested, at);
    events_.accept(history::SessionEnded{session_, at});
}

void Observation::lost(Time at) {
    cut_statement(at);
    transactions_.lost(at);
    events_.accept(history::Gap{session_, {}, at, 1, history::no_name});
}

void Observation::cut_statement(Time at) {
    if (in_flight_.open) {
        end_statement(StatementOutcome::cut, {}, at);
    }
}

void Observation::text_sent(std::string_view text, bool cut, Time at) {
    script_.clear();
    if (several_allowed_) {
        begin_first_of(text, cut, at);
    } else {
        begin_statement(text, cut, at);
    }
}

void Observation::begin_first_of(std::string_view script, bool cut, Time at) {
    sql::StatementSplitter splitter(script, lexer_state_);
    sql::StatementSpan first;
    sql::StatementSpan second;
    if (!splitter.next(first) || !first.sure || !splitter.next(second)) {
        begin_statement(script, cut, at);
        return;
    }
    const auto rest = static_cast<std::size_t>(second.text.data() - script.data());
    const std::string_view others = script.substr(rest);
    begin_statement(first.text, false, at);
    script_ = others;
    script_cut_ = cut;
}

/// False when the text has no further statement.
bool Observation::begin_next_of_script(Time at) {
    if (script_.empty()) {
        return false;
    }
    const std::string script = std::exchange(script_, {});
    begin_first_of(script, script_cut_, at);
    return true;
}

void Observation::begin_statement(std::string_view text, bool cut, Time at) {
    in_flight_.control = sql::read_transaction_control(text, lexer_state_);
    in_flight_.name = kept_name(in_flight_.control);
    in_flight_.control.name = in_flight_.name;
    in_flight_.requested = at;
    in_flight_.rows = 0;
    in_flight_.routine =
        in_flight_.control.verb == sql::TransactionVerb::none && may_be_routine(text, lexer_state_);
    in_flight_.ref = transactions_.statement_began(in_flight_.control, at);
    in_flight_.open = true;
    in_flight_.coverage = in_flight_.control.verb == sql::TransactionVerb::none
                              ? history::Coverage::opaque
                              : history::Coverage::none;
    in_flight_.reason = history::no_name;
    // From the next statement on, the same bytes may be other tokens.
    in_flight_.lexing_after = sql::after_statement(text, lexer_state_);
    if (in_flight_.routine && sql::contains(text, "sql_mode")) {
        in_flight_.lexing_after.certain = false;
    }
    events_.accept(history::StatementBegan{in_flight_.ref, at, text, cut});
}

void Observation::statement_prepared(std::uint32_t id, std::string_view text, bool cut) {
    prepared_.add(id, text, cut);
}

void Observation::statement_executed(std::uint32_t id, Time at) {
    script_.clear();
    const PreparedStatements::Text* known = prepared_.find(id);
    if (known != nullptr) {
        begin_statement(known->text, known->cut, at);
    } else {
        begin_statement({}, true, at);
    }
}

void Observation::command_succeeded(Command command, const ReplyStep& step, Time at) {
    if (command == Command::reset_connection || command == Command::change_user) {
        prepared_.clear();
        transactions_.session_reset(step.ok.status, at);
    } else if (in_flight_.open && command != Command::stmt_fetch) {
        result(step, at);
    } else {
        transactions_.status_seen(step.ok.status, at);
    }
    // After the statement itself: what the server reports outweighs what a text asked for.
    learn_from(step.ok);
}

/// One result of a statement, or of several in one text. A routine gives a result set for each of
/// its queries, and an OK at its end.
void Observation::result(const ReplyStep& step, Time at) {
    in_flight_.rows += step.part == ReplyPart::ok ? step.ok.affected_rows : step.rows;
    const bool goes_on =
        !step.ends && ((in_flight_.routine && step.part != ReplyPart::ok) || script_.empty());
    if (goes_on) {
        return;
    }
    lexer_state_ = in_flight_.lexing_after;
    end_statement(
        step.part == ReplyPart::cursor ? StatementOutcome::suspended : StatementOutcome::completed,
        {}, at);
    transactions_.statement_succeeded(in_flight_.control, step.ok.status, in_flight_.requested, at);
    if (!step.ends) {
        begin_next_of_script(at);
    }
}

void Observation::command_failed(Command command, const ReplyStep& step, Time at) {
    if (command == Command::change_user) {
        // Some servers close the connection now, others go on with nobody knows what.
        transactions_.mark_incomplete();
    }
    if (!in_flight_.open) {
        return;
    }
    script_.clear();
    end_statement(StatementOutcome::failed, step.error, at);
    transactions_.statement_failed(in_flight_.control, step.error.number, in_flight_.requested, at);
}

void Observation::end_statement(StatementOutcome outcome, const ErrorPacket& error, Time at) {
    history::StatementEnded ended;
    ended.statement = in_flight_.ref;
    ended.at = at;
    ended.outcome = outcome;
    const bool touched_nothing = outcome == StatementOutcome::failed;
    ended.coverage = touched_nothing ? history::Coverage::none : in_flight_.coverage;
    ended.reason = touched_nothing ? history::no_name : in_flight_.reason;
    ended.sql_state = error.sql_state;
    ended.error_number = error.number;
    ended.rows = in_flight_.rows;
    in_flight_.open = false;
    events_.accept(ended);
}

void Observation::learn_from(const OkPacket& ok) {
    lexer_state_.no_backslash_escapes = ok.status.has(StatusFlag::no_backslash_escapes);
    if (lexer_state_.mariadb) {
        lexer_state_.ansi_quotes = ok.status.has(StatusFlag::ansi_quotes);
    }
    SessionTrackReader reader(ok.session_state);
    Tracked tracked;
    while (reader.next(tracked)) {
        if (tracked.kind == TrackerKind::system_variable) {
            transactions_.isolation().reported(tracked.name, tracked.value);
        } else if (tracked.kind == TrackerKind::transaction_characteristics) {
            const auto control = sql::read_transaction_control(tracked.value, lexer_state_);
            if (control.sets_level) transactions_.level_reported(control.level);
        }
    }
}

}  // namespace isotap::mysql
