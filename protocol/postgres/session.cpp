#include "protocol/postgres/session.hpp"

#include <array>
#include <cassert>
#include <utility>

#include "protocol/postgres/backend/error_response.hpp"

namespace isotap::postgres {

using protocol::Actions;
using protocol::Phase;
using protocol::Side;

namespace {

constexpr std::array<std::uint8_t, 5> terminate{'X', 0, 0, 0, 4};

}  // namespace

Session::Session(history::SessionId id, const protocol::TlsRules& rules, const Limits& limits,
                 const protocol::Reporting& reporting, const KnownLogin& known)
    : id_(id),
      limits_(limits),
      reporting_(reporting),
      known_(known),
      handshake_(std::make_unique<Handshake>(rules, limits, reporting.notes)) {}

void Session::start(Time /*now*/, Actions& /*actions*/) {
    // The client speaks first: a probe that connects and leaves costs the server nothing.
}

void Session::feed(Side from, Bytes bytes, Time now, Actions& actions) {
    if (bytes.empty()) {
        return;
    }
    if (conversation_) {
        handshake_.reset();
        conversation_->feed(from, bytes, now, actions);
        return;
    }
    handshake_->feed(from, bytes, actions);
    converse_if_started(now, actions);
}

void Session::on_end(Side /*from*/, Time /*now*/, Actions& /*actions*/) {
    // Whoever ends is still owed what the other one has to say: the driver sees to that.
}

void Session::on_dialled(Time now, Actions& actions) {
    handshake_->on_dialled(actions);
    converse_if_started(now, actions);
}

void Session::on_dial_failed(const protocol::DialFailure& failure, Time /*now*/, Actions& actions) {
    handshake_->on_dial_failed(failure, actions);
}

void Session::on_tls_started(Side leg, protocol::TlsFacts facts, Time now, Actions& actions) {
    handshake_->on_tls_started(leg, std::move(facts), actions);
    converse_if_started(now, actions);
}

void Session::on_tls_failed(Side leg, std::string_view why, Time now, Actions& actions) {
    handshake_->on_tls_failed(leg, why, actions);
    converse_if_started(now, actions);
}

void Session::converse_if_started(Time now, Actions& actions) {
    if (conversation_ || handshake_->stage() != Handshake::Stage::started) {
        return;
    }
    if (reporting_.events != nullptr) {
        observation_ = std::make_unique<Observation>(id_, *reporting_.events,
                                                     *reporting_.transactions, limits_);
        observation_->on_start(handshake_->startup(), now);
    }
    const ChannelFacts channel{handshake_->client_tls(), handshake_->server_tls(),
                               handshake_->certificates_agree()};
    std::unique_ptr<instrument::Instrument> instrument;
    if (observation_ && reporting_.plans != nullptr) {
        instrument =
            std::make_unique<instrument::Instrument>(id_, limits_, reporting_, *observation_);
        instrument->on_start(handshake_->startup());
    }
    conversation_.emplace(channel, limits_, reporting_.notes, observation_.get(),
                          proof_on_both_legs(), std::move(instrument));
    if (!handshake_->early().empty()) {
        conversation_->feed(Side::client, handshake_->early(), now, actions);
    }
}

/// A client that binds itself to our certificate can only be helped where the server shows another
/// one, and where it logs in as the user whose password is ours to use.
std::unique_ptr<scram::Exchange> Session::proof_on_both_legs() const {
    const bool bound_in_vain =
        handshake_->client_tls() && handshake_->server_tls() && !handshake_->certificates_agree();
    if (!bound_in_vain || handshake_->certificate_hash().empty() || known_.password.empty() ||
        known_.user.empty() || known_.user != handshake_->startup().user) {
        return nullptr;
    }
    return std::make_unique<scram::Exchange>(known_.password, handshake_->certificate_hash(),
                                             limits_.scram_iterations);
}

void Session::on_released(Time now, protocol::Actions& actions) {
    assert(conversation_ && "nobody was held");
    conversation_->on_released(now, actions);
}

/// The words are the server's own for this condition, so that clients that know them react as they
/// do to a server that is shut down.
void Session::on_shutdown(Time /*now*/, Actions& actions) {
    if (conversation_ && conversation_->may_speak_to_client()) {
        actions.send_own(Side::client,
                         backend::ErrorResponse::encode_fatal(
                             "57P01", "terminating connection due to administrator command"));
    }
    if (phase() == Phase::idle) {
        actions.send(Side::server, terminate);
    }
    actions.add(protocol::ActionKind::finish);
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

}  // namespace isotap::postgres
