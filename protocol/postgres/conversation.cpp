#include "protocol/postgres/conversation.hpp"

#include <utility>

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Phase;
using protocol::Side;

namespace {

/// Messages that come in long runs and change nothing.
bool is_one_of_many(std::uint8_t type) noexcept {
    return type == static_cast<std::uint8_t>(BackendType::data_row) ||
           type == static_cast<std::uint8_t>(BackendType::copy_data);
}

}  // namespace

Conversation::Conversation(const ChannelFacts& channel, const Limits& limits,
                           protocol::NoteTaker& notes, Observation* observation,
                           std::unique_ptr<scram::Exchange> scram,
                           std::unique_ptr<instrument::Instrument> instrument)
    : channel_(channel),
      scram_(std::move(scram)),
      notes_(notes),
      observation_(observation),
      instrument_(std::move(instrument)),
      kept_max_(limits.observed_message),
      client_(limits.observed_message),
      server_(limits.observed_message),
      ledger_(limits.pipelined_replies, limits.pipelined_bytes) {}

void Conversation::feed(Side from, Bytes bytes, Time now, Actions& actions) {
    if (from == Side::client) {
        from_client(bytes, now, actions);
    } else {
        from_server(bytes, now, actions);
    }
}

void Conversation::from_client(Bytes bytes, Time now, Actions& actions) {
    client_.feed(bytes);
    for (;;) {
        const Bytes before = client_.rest();
        Piece piece;
        const auto status = client_.next(piece, [this](std::uint8_t type) {
            bound_request(type);
            return keep_of_client(type);
        });
        if (status == FrameReader::Status::drained) {
            return;
        }
        if (status == FrameReader::Status::malformed) {
            trouble_ = Note::unknown_message;
            give_up(Side::client, before, now, actions);
            return;
        }
        if (stage_ == Stage::authentication && withholds_answer(piece.type)) {
            if (piece.last && !pass_authentication_answer(piece, actions)) {
                return;
            }
            continue;
        }
        if (instrument_ && instrument::Instrument::takes(piece.type)) {
            if (!pass_captured(piece, now, actions)) {
                return;
            }
            continue;
        }
        actions.send(Side::server, piece.raw);
        if (piece.last && !on_request(piece, now)) {
            give_up(Side::client, client_.rest(), now, actions);
            return;
        }
    }
}

void Conversation::from_server(Bytes bytes, Time now, Actions& actions) {
    server_.feed(bytes);
    for (;;) {
        const Bytes before = server_.rest();
        Piece piece;
        const auto status = server_.next(piece, [this](std::uint8_t type) {
            return withhold_reply(type) || keep_of_server(type);
        });
        if (status == FrameReader::Status::drained) {
            return;
        }
        if (status == FrameReader::Status::malformed) {
            trouble_ = Note::unknown_message;
            give_up(Side::server, before, now, actions);
            return;
        }
        if (stage_ == Stage::authentication && withholds_request(piece.type)) {
            if (piece.last && !pass_authentication_request(piece, actions)) {
                return;
            }
            continue;
        }
        if (withholds_reply_) {
            withheld_of_reply_ = piece.last ? 0 : withheld_of_reply_ + piece.raw.size();
            if (piece.last && !pass_changed(piece, now, actions)) {
                return;
            }
            continue;
        }
        actions.send(Side::client, piece.raw);
        if (piece.last && !on_reply(piece, now)) {
            give_up(Side::server, server_.rest(), now, actions);
            return;
        }
        if (piece.last && is_one_of_many(piece.type)) {
            // What was right for one row is right for those behind it.
            actions.send(Side::client, server_.take_whole(piece.type));
        }
    }
}

bool Conversation::keep_of_client(std::uint8_t type) const noexcept {
    switch (static_cast<FrontendType>(type)) {
        case FrontendType::password:
            return stage_ == Stage::authentication && (sasl_offered_ || proves_itself());
        case FrontendType::query:
        case FrontendType::parse:
        case FrontendType::bind:
        case FrontendType::execute:
        case FrontendType::close: return observation_ != nullptr;
        case FrontendType::describe: return instrument_ != nullptr;
        default: return false;
    }
}

bool Conversation::keep_of_server(std::uint8_t type) const noexcept {
    switch (static_cast<BackendType>(type)) {
        case BackendType::authentication:
        case BackendType::ready_for_query: return true;
        case BackendType::command_complete:
        case BackendType::error_response:
        case BackendType::parameter_status: return observation_ != nullptr;
        default: return false;
    }
}

/// False when this is no message that a client may send, or one too many.
bool Conversation::on_request(const Piece& message, Time now) {
    switch (static_cast<FrontendType>(message.type)) {
        case FrontendType::query: return owe(Reply::query, message, now);
        case FrontendType::parse: return owe(Reply::parse, message, now);
        case FrontendType::bind: return owe(Reply::bind, message, now);
        case FrontendType::describe: return owe(Reply::describe, message, now);
        case FrontendType::execute: return owe(Reply::execute, message, now);
        case FrontendType::close: return owe(Reply::close, message, now);
        case FrontendType::function_call: return owe(Reply::function_call, message, now);
        case FrontendType::sync:
            if (copying_in_) {
                return true;  // ignored by the server until the copy has ended
            }
            skipping_ = false;
            if (instrument_) {
                instrument_->on_sync();
            }
            return owe(Reply::sync, message, now);
        case FrontendType::copy_done:
        case FrontendType::copy_fail:
            if (copying_in_ || ledger_.empty()) {
                copying_in_ = false;
                return true;
            }
            return owe(Reply::copy_end, message, now);
        case FrontendType::copy_data:
        case FrontendType::flush:
        case FrontendType::password:
        case FrontendType::terminate: return true;
    }
    trouble_ = Note::unknown_message;
    return false;
}

bool Conversation::owe(Reply reply, const Piece& message, Time now) {
    if (skipping_) {
        return true;
    }
    if (!ledger_.push(reply, now, message.body, message.cut)) {
        trouble_ = Note::pipeline_too_deep;
        return false;
    }
    announce();
    return true;
}

/// `rest` is what of the input of `side` has not been passed on.
void Conversation::give_up(Side side, Bytes rest, Time now, Actions& actions) {
    stage_ = Stage::blind;
    notes_.take(trouble_, {});
    if (observation_ != nullptr) {
        observation_->on_lost(now);
    }
    let_go(actions);
    actions.send(protocol::other(side), rest);
    actions.add(ActionKind::go_blind);
    ledger_.clear();
}

void Conversation::on_closed(Time now) {
    if (observation_ != nullptr) {
        observation_->on_closed(!ledger_.empty(), now);
    }
}

Phase Conversation::phase() const noexcept {
    switch (stage_) {
        case Stage::authentication: return Phase::handshake;
        case Stage::blind: return Phase::blind;
        case Stage::refused:
        case Stage::ready: break;
    }
    const bool idle = !held_.any && ledger_.empty() &&
                      status_ == backend::TransactionStatus::idle && client_.at_boundary();
    return idle ? Phase::idle : Phase::busy;
}

}  // namespace isotap::postgres
