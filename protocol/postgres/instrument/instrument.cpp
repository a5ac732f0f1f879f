// From the server to the client: what instrumentation added is taken out again.
#include "protocol/postgres/instrument/instrument.hpp"

#include <algorithm>

#include "protocol/postgres/instrument/message_space.hpp"

namespace isotap::postgres::instrument {

using history::Coverage;
using sql::ReplyChange;

Instrument::Instrument(history::SessionId session, const Limits& limits,
                       const protocol::Reporting& reporting, Observation& observation)
    : session_(session),
      reporting_(reporting),
      observation_(observation),
      statements_(limits.named_statements),
      portals_(limits.named_statements),
      planner_(session, *reporting.plans, context_, statements_, portals_),
      recorder_(*reporting.events, *reporting.names, limits) {}

const PlannedStatement* Instrument::answering() const noexcept {
    const Asked& asked = asked_.front();
    if (asked.request == Reply::query) {
        return asked.answered < asked.statements.size() ? &asked.statements[asked.answered]
                                                        : nullptr;
    }
    return asked.meaning ? &asked.meaning->statement : nullptr;
}

bool Instrument::anything_rewritten() const noexcept {
    const Asked& asked = asked_.front();
    if (asked.request != Reply::query) {
        return asked.meaning && asked.meaning->statement.rewritten;
    }
    return std::any_of(asked.statements.begin(), asked.statements.end(),
                       [](const PlannedStatement& one) { return one.rewritten; });
}

/// An EXECUTE of SQL's own.
bool Instrument::runs_rewritten() const noexcept {
    const PlannedStatement* statement = answering();
    return asked_.front().request == Reply::query && statement != nullptr &&
           !statement->executes.empty() && statement->plan;
}

bool Instrument::changes(std::uint8_t type, Reply front) const noexcept {
    if (!takes(front)) {
        return false;
    }
    switch (static_cast<BackendType>(type)) {
        case BackendType::row_description:
        case BackendType::data_row: {
            const PlannedStatement* statement = answering();
            return statement != nullptr && statement->change() != ReplyChange::none;
        }
        case BackendType::copy_out_response:
        case BackendType::copy_data:
        case BackendType::copy_done: {
            const PlannedStatement* statement = answering();
            return statement != nullptr && statement->copies;
        }
        case BackendType::error_response: return anything_rewritten() || runs_rewritten();
        case BackendType::notice_response: return anything_rewritten();
        default: return false;
    }
}

Instrument::Answer Instrument::answer(std::uint8_t type, Bytes body, Bytes kept, bool kept_cut,
                                      protocol::Actions& actions) {
    switch (static_cast<BackendType>(type)) {
        case BackendType::row_description: return describe(body, actions);
        case BackendType::data_row: return row(body, actions);
        case BackendType::copy_out_response: return begin_copy(body, actions);
        case BackendType::copy_data: return copied(body, actions);
        case BackendType::copy_done: return end_copy(actions);
        case BackendType::error_response: return error(body, kept, kept_cut, actions);
        default: return at_position(type, body, kept, kept_cut, actions);
    }
}

Instrument::Answer Instrument::describe(Bytes body, protocol::Actions& actions) {
    const PlannedStatement& statement = *answering();
    const auto kept =
        cut_description(body, statement.added(), statement.of_cursor ? sql::added_name_prefix : "");
    const bool swallows = statement.change() == ReplyChange::swallow;
    if (!kept || (swallows && kept->columns != 0)) {
        broken_ = asked_.front().request != Reply::describe;
        blow("the columns of a result are not those that were planned");
        return {};
    }
    if (!swallows) {
        return {Fate::replace, shortened(BackendType::row_description, body, *kept, actions)};
    }
    if (asked_.front().request != Reply::describe) {
        return {Fate::swallow, {}};
    }
    return {Fate::replace,
            MessageSpace(actions, static_cast<std::uint8_t>(BackendType::no_data), 0).whole()};
}

Instrument::Answer Instrument::row(Bytes body, protocol::Actions& actions) {
    const PlannedStatement& statement = *answering();
    const bool swallows = statement.change() == ReplyChange::swallow;
    if (broken_) {
        return {};
    }
    const auto kept = cut_row(body, statement.added(), values_);
    if (!kept || (swallows && kept->columns != 0)) {
        broken_ = true;
        blow("a row has fewer columns than were planned");
        return {};
    }
    tell(statement, values_);
    if (swallows) {
        return {Fate::swallow, {}};
    }
    return {Fate::replace, shortened(BackendType::data_row, body, *kept, actions)};
}

/// Of one row: what was added to it, where that could be read.
void Instrument::tell(const PlannedStatement& statement,
                      std::optional<std::span<const Field>> added) {
    if (fused_ || (!recording_ && planner_.means_others(statement))) {
        return;
    }
    if (!recording_) {
        begin_recording(statement);
    }
    if (!added) {
        recorder_.lose();
    } else if (!recorder_.record(*added)) {
        blow("a row does not say what it was asked for");
    }
}

/// A cursor does not see what its own transaction writes after it was declared, and one that has
/// outlived its transaction shows what that one read.
void Instrument::begin_recording(const PlannedStatement& statement) {
    const history::StatementRef& now = observation_.statement();
    history::StatementRef* begun = statement.begun_by.get();
    if (begun != nullptr && begun->ordinal == 0) {
        *begun = now;
    }
    if (begun != nullptr && begun->transaction == now.transaction) {
        recorder_.begin(*statement.plan, *begun);
    } else if (begun != nullptr && statement.held) {
        recorder_.begin(*statement.plan, *begun, session_);
    } else {
        recorder_.begin(*statement.plan, now);
    }
    recording_ = true;
}

void Instrument::cover(const PlannedStatement* statement, Time now) {
    Coverage coverage = statement != nullptr ? statement->coverage : Coverage::opaque;
    std::string_view reason = statement != nullptr ? statement->reason : "cursor";
    const std::uint64_t lost = recording_ ? recorder_.lost() : 0;
    if (statement != nullptr && !(statement->declares.empty() && statement->prepares.empty())) {
        coverage = Coverage::none;  // its rows come when they are fetched, or when it is executed
        reason = {};
    }
    if (fused_ && statement != nullptr &&
        (statement->change() != ReplyChange::none || statement->copies)) {
        coverage = Coverage::opaque;
        reason = "fuse";
    } else if (statement != nullptr && statement->only_in != 0 &&
               statement->only_in != context_.transaction()) {
        coverage = Coverage::opaque;
        reason = "prepared before its table was there for all";
    } else if (statement != nullptr && planner_.means_others(*statement)) {
        coverage = Coverage::opaque;
        reason = "prepared when its names stood for others";
    } else if (coverage == Coverage::full && !recording_ && statement != nullptr &&
               statement->plan && statement->plan->silent_when_empty) {
        coverage = Coverage::partial;
        reason = "no row to tell what was read";
    } else if (coverage == Coverage::partial && recording_ && statement->plan &&
               statement->plan->full_when_known == recorder_.known() && recorder_.known() > 0 &&
               lost == 0) {
        coverage = Coverage::full;
        reason = {};
    } else if (lost > 0) {
        coverage = Coverage::partial;
        reason = "too many rows";
        const history::StatementRef& ref = observation_.statement();
        reporting_.events->accept(
            history::Gap{session_, ref.transaction, now, lost, reporting_.names->id_of(reason)});
    }
    observation_.cover(coverage, reporting_.names->id_of(reason));
    recording_ = false;
    broken_ = false;
    copy_.reset();
}

void Instrument::on_completed(std::string_view tag, Time now) {
    const PlannedStatement* statement = answering();
    if (!tag.empty()) {
        if (statement != nullptr && statement->plan && statement->plan->empties) {
            tell_emptied(*statement);
        }
        cover(statement, now);
    }
    if (statement != nullptr) {
        take_effect(*statement, tag);
    }
    ++asked_.front().answered;
}

/// The server looks its names up each time it runs.
void Instrument::tell_emptied(const PlannedStatement& statement) {
    if (fused_ || planner_.means_others(statement)) {
        return;
    }
    for (const sql::CapturedTable& table : statement.plan->tables) {
        reporting_.events->accept(history::TableEmptied{observation_.statement(),
                                                        reporting_.names->id_of(table.identity)});
    }
}

void Instrument::on_suspended(Time now) {
    cover(answering(), now);
}

/// The tag is the server's word on what became of a transaction.
void Instrument::take_effect(const PlannedStatement& statement, std::string_view tag) {
    using Kind = StatementEffect::Kind;
    const StatementEffect& effect = statement.effect;
    if (tag == "COMMIT" || tag == "PREPARE TRANSACTION") {
        end_transaction(true);
    } else if (tag == "ROLLBACK" && effect.kind != Kind::rollback_to) {
        end_transaction(false);
    } else {
        context_.on_effect(effect);
    }
    const PlannedStatement& naming = statement.naming();
    if (naming.begun_by && !naming.declares.empty()) {
        *naming.begun_by = observation_.statement();
    }
    if (asked_.front().statements.size() > 1) {
        // Of several in one text, those that ran have run whatever becomes of the others.
        name_again(naming);
    }
    const bool last_asked = asked_.size() == 1;
    if (last_asked && (effect.kind == Kind::deallocate_all || effect.kind == Kind::discard_all)) {
        statements_.clear();
    }
    if (last_asked && (tag == "CLOSE CURSOR ALL" || effect.kind == Kind::discard_all)) {
        portals_.clear();
    }
}

void Instrument::name_again(const PlannedStatement& statement) {
    if (!statement.prepares.empty()) {
        statements_.set(statement.prepares, statement.prepared);
    } else if (!statement.deallocates.empty()) {
        statements_.set(statement.deallocates, nullptr);
    }
}

void Instrument::end_transaction(bool committed) {
    if (!committed) {
        rolled_back_ = observation_.statement().transaction;
    }
    if (context_.on_transaction_end(committed)) {
        reporting_.plans->on_schema_changed(planner_.context());
    }
}

void Instrument::on_error(Reply failed) {
    recording_ = false;
    broken_ = false;
    copy_.reset();
    if (!takes(failed)) {
        return;
    }
    if (failed == Reply::query) {
        take_back(asked_.front());
        return;
    }
    const std::uint64_t unit = asked_.front().unit;
    std::size_t behind = 0;
    while (behind < asked_.size() && asked_[behind].unit == unit) {
        ++behind;
    }
    while (behind-- > 0) {
        take_back(asked_[behind]);
    }
}

void Instrument::take_back(Asked& asked) {
    if (asked.names != Asked::Names::none) {
        names_of(asked.names).take_back(std::move(asked.change));
        asked.names = Asked::Names::none;
    }
}

void Instrument::on_ready(backend::TransactionStatus status) {
    ready_ = true;
    if (status != backend::TransactionStatus::idle) {
        return;
    }
    end_transaction(!observation_.failed());
    const bool nothing_asked =
        asked_.empty() || (asked_.size() == 1 && asked_.front().request == Reply::query);
    if (nothing_asked) {
        portals_.keep_if([this](const Prepared& one) {
            const PlannedStatement& cursor = one.statement;
            return cursor.held && !cursor.declares.empty() &&
                   cursor.begun_by->transaction != rolled_back_;
        });
    }
}

void Instrument::on_parameter(Bytes body) {
    ByteReader reader(body);
    const std::string_view name = reader.c_string();
    const std::string_view value = reader.c_string();
    encoding_.on_parameter(name, value);
    context_.on_parameter(name, value);
}

void Instrument::on_popped() {
    count_effects(asked_.front(), -1);
    asked_.pop();
}

void Instrument::blow(std::string_view why) {
    if (!fused_) {
        fused_ = true;
        reporting_.notes.take(protocol::Note::fuse, why);
    }
}

}  // namespace isotap::postgres::instrument
