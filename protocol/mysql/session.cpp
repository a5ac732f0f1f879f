#include "protocol/mysql/session.hpp"

#include <cassert>
#include <utility>

#include "protocol/mysql/instrument/instrumented_conversation.hpp"

namespace isotap::mysql {

using protocol::Actions;
using protocol::Phase;
using protocol::Side;

Session::Session(history::SessionId id, const protocol::TlsRules& rules, const Limits& limits,
                 const protocol::Reporting& reporting)
    : id_(id),
      limits_(limits),
      reporting_(reporting),
      handshake_(std::make_unique<Handshake>(rules, limits, reporting.notes)) {}

void Session::start(Time /*now*/, Actions& actions) {
    handshake_->start(actions);
}

void Session::feed(Side from, Bytes bytes, Time now, Actions& actions) {
    if (bytes.empty()) {
        return;
    }
    if (conversation_) {
        conversation_->feed(from, bytes, now, actions);
        return;
    }
    handshake_->feed(from, bytes, actions);
    converse_if_done(now, actions);
}

void Session::on_end(Side from, Time now, Actions& actions) {
    // Whoever ends is still owed what the other one has to say: the driver sees to that.
    if (conversation_ && from == Side::client) {
        conversation_->on_client_end(now, actions);
    }
}

bool Session::owes_server() const noexcept {
    return conversation_ && conversation_->owes_server();
}

void Session::on_dialled(Time /*now*/, Actions& /*actions*/) {
    handshake_->on_dialled();
}

void Session::on_dial_failed(const protocol::DialFailure& failure, Time /*now*/, Actions& actions) {
    handshake_->on_dial_failed(failure, actions);
}

void Session::on_tls_started(Side leg, protocol::TlsFacts facts, Time now, Actions& actions) {
    handshake_->on_tls_started(leg, facts, actions);
    converse_if_done(now, actions);
}

void Session::on_tls_failed(Side leg, std::string_view why, Time /*now*/, Actions& actions) {
    handshake_->on_tls_failed(leg, why, actions);
}

void Session::converse_if_done(Time now, Actions& actions) {
    if (handshake_->stage() != Handshake::Stage::done) {
        return;
    }
    const ChannelFacts& channel = handshake_->channel();
    if (reporting_.events != nullptr) {
        observation_ = std::make_unique<Observation>(id_, limits_, *reporting_.events,
                                                     *reporting_.transactions);
        observation_->began(channel, now);
    }
    if (reporting_.plans != nullptr && channel.compression == Compression::none) {
        conversation_ = std::make_unique<instrument::InstrumentedConversation>(
            id_, channel, limits_, reporting_, *observation_);
    } else {
        // What is compressed would have to be compressed again: it is observed only.
        conversation_ =
            std::make_unique<Conversation>(channel, limits_, reporting_.notes, observation_.get());
    }
    early_of_server_ = handshake_->take_rest(Side::server);
    early_of_client_ = handshake_->take_rest(Side::client);
    handshake_.reset();
    for (const auto& [side, bytes] : {std::pair(Side::server, Bytes(early_of_server_)),
                                      std::pair(Side::client, Bytes(early_of_client_))}) {
        if (!bytes.empty()) {
            conversation_->feed(side, bytes, now, actions);
        }
    }
}

void Session::on_released(Time now, Actions& actions) {
    assert(conversation_);
    conversation_->on_released(now, actions);
}

void Session::on_woken(Time now, Actions& actions) {
    assert(conversation_);
    conversation_->on_woken(now, actions);
}

void Session::on_shutdown(Time /*now*/, Actions& actions) {
    if (conversation_) {
        conversation_->shut_down(actions);
    } else {
        handshake_->shut_down(actions);
    }
}

void Session::on_closed(Time now) {
    if (conversation_) {
        conversation_->on_closed(now);
    }
}

Phase Session::phase() const noexcept {
    if (conversation_) {
        return conversation_->phase();
    }
    return handshake_->stage() == Handshake::Stage::blind ? Phase::blind : Phase::handshake;
}

}  // namespace isotap::mysql
