#include "protocol/postgres/observation.hpp"

#include <memory>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/frontend/bind.hpp"
#include "protocol/postgres/frontend/close.hpp"
#include "protocol/postgres/frontend/execute.hpp"
#include "protocol/postgres/frontend/parse.hpp"
#include "protocol/postgres/startup_options.hpp"
#include "protocol/sql/statement_splitter.hpp"

namespace isotap::postgres {

using history::Outcome;
using history::SavepointAction;
using history::StatementOutcome;
using sql::TransactionVerb;

namespace {

/// The text of a Query or the rest of a Parse, also where its end, and so its NUL, was cut off.
std::string_view text_of(Bytes bytes) noexcept {
    const std::string_view all = as_text(bytes);
    return all.substr(0, all.find('\0'));
}

std::shared_ptr<const KeptText> prepared_by(Bytes kept, bool cut, std::string_view& name) {
    ByteReader reader(kept);
    name = reader.c_string();
    return std::make_shared<const KeptText>(KeptText{std::string(text_of(reader.rest())), cut});
}

bool trail_bytes_look_ascii(std::string_view encoding) noexcept {
    for (const std::string_view name :
         {"BIG5", "GBK", "GB18030", "SJIS", "SHIFT_JIS_2004", "UHC", "JOHAB"}) {
        if (encoding == name) {
            return true;
        }
    }
    return false;
}

}  // namespace

Observation::Observation(history::SessionId session, history::EventSink& events,
                         history::TransactionIds& ids, const Limits& limits)
    : session_(session),
      events_(events),
      transactions_(session, events, ids),
      statements_(limits.named_statements),
      portals_(limits.named_statements) {
    lexing_.dialect = history::Dialect::postgres;
}

void Observation::on_start(const frontend::Startup& startup, Time now) {
    const std::string_view database = startup.database.empty() ? startup.user : startup.database;
    events_.accept(history::SessionBegan{session_, now, history::Dialect::postgres, startup.user,
                                         database, startup.application_name});
    transactions_.set_initial_level(
        setting_in_options(startup.options, "default_transaction_isolation"));
    transactions_.set_initial_level(startup.default_isolation);
}

void Observation::on_parameter(Bytes body) {
    ByteReader reader(body);
    const std::string_view name = reader.c_string();
    const std::string_view value = reader.c_string();
    if (name == "standard_conforming_strings") {
        lexing_.standard_conforming_strings = value == "on";
    } else if (name == "client_encoding") {
        lexing_.trail_bytes_look_ascii = trail_bytes_look_ascii(value);
    }
}

void Observation::on_front(Reply request, Bytes kept, bool cut, Time at) {
    asked_at_ = at;
    in_query_ = request == Reply::query;
    if (in_query_) {
        query_done_ = 0;
        query_cut_ = cut;
        begin_next_of_query(kept, at);
    } else if (request == Reply::execute) {
        const auto execute = frontend::Execute::decode(kept);
        const auto text = execute ? portals_.find(execute->portal) : nullptr;
        begin(text ? std::string_view(text->text) : std::string_view{}, !text || text->cut, at);
    }
}

void Observation::begin_next_of_query(Bytes kept, Time at) {
    const std::string_view text = text_of(kept);
    sql::StatementSplitter splitter(text.substr(query_done_), lexing_);
    sql::StatementSpan span;
    if (!splitter.next(span)) {
        return;
    }
    query_done_ = static_cast<std::size_t>(span.text.data() - text.data()) + span.text.size();
    begin(span.text, query_cut_ && query_done_ == text.size(), at);
}

void Observation::begin(std::string_view text, bool cut, Time at) {
    coverage_ = history::Coverage::none;
    reason_ = history::no_name;
    control_ = sql::read_transaction_control(text, lexing_);
    savepoint_ = sql::savepoint_name(control_.name, lexing_.dialect);
    control_.name = {};
    statement_ = transactions_.next_statement(control_.verb == TransactionVerb::begin, at);
    statement_open_ = true;
    events_.accept(history::StatementBegan{statement_, at, text, cut});
}

void Observation::end(StatementOutcome outcome, std::string_view tag, std::uint64_t rows,
                      const history::SqlState& state, Time now) {
    statement_open_ = false;
    history::StatementEnded ended;
    ended.statement = statement_;
    ended.at = now;
    ended.outcome = outcome;
    ended.coverage = coverage_;
    ended.reason = reason_;
    ended.sql_state = state;
    ended.rows = rows;
    ended.tag = tag;
    events_.accept(ended);
}

void Observation::on_settled(Reply request, Bytes kept, bool cut) {
    if (request == Reply::parse) {
        std::string_view name;
        auto text = prepared_by(kept, cut, name);
        statements_.set(name, std::move(text));
    } else if (request == Reply::bind) {
        if (const auto bind = frontend::Bind::decode(kept)) {
            portals_.set(bind->portal, statements_.find(bind->statement));
        }
    } else if (request == Reply::close) {
        if (const auto close = frontend::Close::decode(kept)) {
            (close->kind == frontend::ObjectKind::portal ? portals_ : statements_)
                .set(close->object, nullptr);
        }
    }
}

void Observation::on_completed(Bytes kept, std::string_view tag, std::uint64_t rows, Time now) {
    if (!statement_open_) {
        if (tag.empty()) {
            return;  // a Query of nothing but comments
        }
        begin({}, true, asked_at_);
    }
    end(StatementOutcome::completed, tag, rows, history::no_sql_state, now);
    apply(tag, now);
    if (in_query_) {
        begin_next_of_query(kept, now);
    }
}

void Observation::on_suspended(Time now) {
    if (statement_open_) {
        end(StatementOutcome::suspended, {}, 0, history::no_sql_state, now);
    }
}

/// What a statement that succeeded did to transactions. The tag is the server's own word and
/// decides; the text adds what the tag leaves out.
void Observation::apply(std::string_view tag, Time now) {
    if (tag == "BEGIN" || tag == "START TRANSACTION") {
        transactions_.on_begun(control_, asked_at_);
    } else if (tag == "COMMIT") {
        transactions_.end(Outcome::committed, asked_at_, now);
        if (control_.chain == sql::Switch::on) {
            transactions_.chain(now);
        }
    } else if (tag == "ROLLBACK") {
        apply_rollback(now);
    } else if (tag == "SAVEPOINT") {
        transactions_.on_savepoint(statement_, SavepointAction::set, savepoint_);
    } else if (tag == "RELEASE") {
        transactions_.on_savepoint(statement_, SavepointAction::release, savepoint_);
    } else if (tag == "PREPARE TRANSACTION") {
        // Its fate is decided elsewhere, perhaps by another session.
        transactions_.end(Outcome::indeterminate, asked_at_, now, true);
    } else if (tag == "SET" || tag == "RESET" || tag == "DISCARD ALL") {
        transactions_.on_set(control_);
    }
}

/// ROLLBACK and ROLLBACK TO share a tag; only the text tells them apart. Where it is not known,
/// nothing ends here: the next ReadyForQuery says whether a transaction is left.
void Observation::apply_rollback(Time now) {
    switch (control_.verb) {
        case TransactionVerb::rollback_to_savepoint:
            transactions_.on_rolled_back_to(statement_, savepoint_);
            break;
        case TransactionVerb::none: transactions_.on_failed(); break;
        default:
            transactions_.end(Outcome::aborted, asked_at_, now);
            if (control_.chain == sql::Switch::on) {
                transactions_.chain(now);
            }
            break;
    }
}

void Observation::on_error(Reply request, Bytes kept, Time at, const backend::ErrorResponse& error,
                           Time now) {
    if (!statement_open_) {
        begin_what_failed(request, kept, at);
    }
    end(StatementOutcome::failed, {}, 0, error.state(), now);
    transactions_.on_failed();
    in_query_ = false;
}

/// An error may come before there is a statement: in Parse or Bind, or at the Sync that commits.
void Observation::begin_what_failed(Reply request, Bytes kept, Time at) {
    asked_at_ = at;
    if (request == Reply::parse) {
        std::string_view name;
        const auto text = prepared_by(kept, false, name);
        begin(text->text, false, at);
        return;
    }
    std::shared_ptr<const KeptText> text;
    if (request == Reply::bind) {
        if (const auto bind = frontend::Bind::decode(kept)) {
            text = statements_.find(bind->statement);
        }
    }
    begin(text ? std::string_view(text->text) : std::string_view{}, !text || text->cut, at);
}

void Observation::on_ready(backend::TransactionStatus status, Time now) {
    if (statement_open_) {
        end(StatementOutcome::skipped, {}, 0, history::no_sql_state, now);
    }
    in_query_ = false;
    if (status != backend::TransactionStatus::idle) {
        transactions_.on_found_open(now);
        return;
    }
    if (transactions_.open()) {
        transactions_.end(transactions_.failed() ? Outcome::aborted : Outcome::committed, asked_at_,
                          now);
    }
    portals_.clear();
}

void Observation::on_lost(Time now) {
    if (statement_open_) {
        end(StatementOutcome::cut, {}, 0, history::no_sql_state, now);
    }
    if (transactions_.open()) {
        transactions_.end(Outcome::indeterminate, asked_at_, now, true);
    }
    events_.accept(history::Gap{session_, {}, now, 1, history::no_name});
}

void Observation::on_closed(bool asked, Time now) {
    if (statement_open_) {
        end(StatementOutcome::cut, {}, 0, history::no_sql_state, now);
    }
    if (transactions_.open()) {
        // What was asked may have been done, a COMMIT among it, without anybody hearing of it.
        const bool unknown = asked && !transactions_.failed();
        transactions_.end(unknown ? Outcome::indeterminate : Outcome::aborted, asked_at_, now);
    }
    events_.accept(history::SessionEnded{session_, now});
}

}  // namespace isotap::postgres
