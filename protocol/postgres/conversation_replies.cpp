// What the server says, against what it owes.
#include "protocol/postgres/backend/command_complete.hpp"
#include "protocol/postgres/backend/error_response.hpp"
#include "protocol/postgres/conversation.hpp"
#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres {

using protocol::Note;

/// False when nothing that the client asked for explains this message.
bool Conversation::on_reply(const Piece& message, Time now) {
    const auto type = static_cast<BackendType>(message.type);
    switch (type) {
        case BackendType::notice_response:
        case BackendType::notification_response: return true;
        case BackendType::parameter_status:
            if (observation_ != nullptr) {
                observation_->on_parameter(message.body);
            }
            if (instrument_) {
                instrument_->on_parameter(message.body);
            }
            return true;
        case BackendType::error_response: on_error(message, now); return true;
        case BackendType::ready_for_query: return on_ready(message, now);
        default: break;
    }
    return stage_ == Stage::authentication ? on_start_up_reply(type, message)
                                           : on_ledger_reply(type, message, now);
}

bool Conversation::on_start_up_reply(BackendType type, const Piece& message) {
    switch (type) {
        case BackendType::authentication: on_authentication(message); return true;
        case BackendType::backend_key_data:
        case BackendType::negotiate_protocol_version: return true;
        default: trouble_ = Note::unknown_message; return false;
    }
}

bool Conversation::on_ledger_reply(BackendType type, const Piece& message, Time now) {
    switch (type) {
        case BackendType::parse_complete: return settle(Reply::parse);
        case BackendType::bind_complete: return settle(Reply::bind);
        case BackendType::close_complete: return settle(Reply::close);
        case BackendType::parameter_description: return owes(Reply::describe);
        case BackendType::no_data: return settle(Reply::describe);
        case BackendType::row_description: return owes(Reply::query) || settle(Reply::describe);
        case BackendType::data_row:
        case BackendType::copy_out_response:
        case BackendType::copy_data:
        case BackendType::copy_done: return owes(Reply::query) || owes(Reply::execute);
        case BackendType::copy_in_response: return on_copy_in();
        case BackendType::command_complete: return on_command_complete(message, now);
        case BackendType::empty_query_response: return on_empty_query(now);
        case BackendType::portal_suspended: return on_portal_suspended(now);
        case BackendType::function_call_response: return owes(Reply::function_call);
        default: trouble_ = Note::unknown_message; return false;
    }
}

bool Conversation::on_command_complete(const Piece& message, Time now) {
    if (!owes(Reply::query) && !owes(Reply::execute)) {
        return false;
    }
    copying_in_ = false;
    if (observation_ != nullptr) {
        const auto complete = backend::CommandComplete::decode(message.body);
        if (instrument_) {
            instrument_->on_completed(complete ? complete->tag : std::string_view{}, now);
        }
        observation_->on_completed(ledger_.kept(), complete ? complete->tag : std::string_view{},
                                   complete ? complete->rows() : 0, now);
    }
    return owes(Reply::query) || settle(Reply::execute);
}

bool Conversation::on_empty_query(Time now) {
    if (!owes(Reply::query) && !owes(Reply::execute)) {
        return false;
    }
    if (instrument_) {
        instrument_->on_completed({}, now);
    }
    if (observation_ != nullptr) {
        observation_->on_completed(ledger_.kept(), {}, 0, now);
    }
    return owes(Reply::query) || settle(Reply::execute);
}

bool Conversation::on_portal_suspended(Time now) {
    if (!owes(Reply::execute)) {
        return false;
    }
    if (instrument_) {
        instrument_->on_suspended(now);
    }
    if (observation_ != nullptr) {
        observation_->on_suspended(now);
    }
    return settle(Reply::execute);
}

/// From here to the client's CopyDone or CopyFail the server reads over every Sync, also over those
/// that the client sent before it could know that this is a copy.
bool Conversation::on_copy_in() noexcept {
    if (!owes(Reply::query) && !owes(Reply::execute)) {
        return false;
    }
    bool ended = false;
    ledger_.drop_behind_front(
        [&ended](const Ledger::Entry& entry) {
            ended = entry.reply == Reply::copy_end;
            return ended || entry.reply == Reply::sync;
        },
        [&ended](const Ledger::Entry&) { return ended; });
    copying_in_ = !ended;
    return true;
}

/// An error in a simple query leaves it to its ReadyForQuery. One in the extended protocol makes
/// the server skip all that follows, whatever it is, up to the next Sync.
void Conversation::on_error(const Piece& message, Time now) {
    copying_in_ = false;
    prune();
    if (observation_ != nullptr) {
        const auto error = backend::ErrorResponse::decode(message.body);
        const bool known = !ledger_.empty();
        observation_->on_error(known ? ledger_.front().reply : Reply::sync,
                               known ? ledger_.kept() : Bytes{}, known ? ledger_.front().at : now,
                               error.value_or(backend::ErrorResponse{}), now);
    }
    if (ledger_.empty() || stage_ == Stage::authentication) {
        return;
    }
    const Reply failed = ledger_.front().reply;
    if (instrument_) {
        instrument_->on_error(failed);
    }
    if (failed == Reply::query || failed == Reply::function_call || failed == Reply::sync) {
        return;
    }
    while (!ledger_.empty() && ledger_.front().reply != Reply::sync) {
        pop();
    }
    skipping_ = ledger_.empty();
}

bool Conversation::on_ready(const Piece& message, Time now) {
    const auto ready = backend::ReadyForQuery::decode(message.body);
    if (!ready) {
        return false;
    }
    status_ = ready->status;
    if (instrument_) {
        instrument_->on_ready(status_);
    }
    if (stage_ == Stage::authentication) {
        stage_ = Stage::ready;
        notes_.take(Note::authenticated, {});
        return true;
    }
    if (!owes(Reply::query) && !owes(Reply::sync) && !owes(Reply::function_call)) {
        return false;
    }
    if (observation_ != nullptr) {
        observation_->on_ready(status_, now);
    }
    pop();
    announce();
    return true;
}

/// What ends a copy gets no answer: it is through as soon as it is the oldest.
void Conversation::prune() noexcept {
    while (!ledger_.empty() && ledger_.front().reply == Reply::copy_end) {
        ledger_.pop();
    }
}

bool Conversation::owes(Reply reply) noexcept {
    prune();
    return !ledger_.empty() && ledger_.front().reply == reply;
}

bool Conversation::settle(Reply reply) {
    if (!owes(reply)) {
        return false;
    }
    if (observation_ != nullptr) {
        observation_->on_settled(reply, ledger_.kept(), ledger_.front().cut);
    }
    pop();
    announce();
    return true;
}

void Conversation::pop() {
    if (instrument_ && instrument::Instrument::takes(ledger_.front().reply)) {
        instrument_->on_popped();
    }
    ledger_.pop();
    announced_ = false;
    prune();
}

/// A statement begins, for whoever watches, when all that was asked before it has been answered:
/// only then is it known which transaction it runs in and which text its portal stands for.
void Conversation::announce() {
    if (observation_ == nullptr || announced_ || ledger_.empty()) {
        return;
    }
    announced_ = true;
    observation_->on_front(ledger_.front().reply, ledger_.kept(), ledger_.front().cut,
                           ledger_.front().at);
}

}  // namespace isotap::postgres
