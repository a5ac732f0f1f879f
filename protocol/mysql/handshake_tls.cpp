#include <string>
#include <utility>

#include "protocol/mysql/handshake.hpp"
#include "protocol/mysql/messages/handshake_response.hpp"
#include "protocol/mysql/tls_bit.hpp"

/// TLS of both legs, up to the response that goes to the server.
namespace isotap::mysql {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Side;
using protocol::TlsPolicy;

namespace {

constexpr std::size_t response_capabilities_offset = 0;

}  // namespace

bool Handshake::offers_tls() const noexcept {
    switch (rules_.policy) {
        case TlsPolicy::opaque: return server_.has(Capability::ssl);
        case TlsPolicy::mirror:
        case TlsPolicy::same_certificate: return rules_.certificate && server_.has(Capability::ssl);
        case TlsPolicy::terminate: return rules_.certificate;
    }
    return false;
}

bool Handshake::wants_server_tls() const noexcept {
    if (rules_.policy != TlsPolicy::terminate) {
        return client_tls_;
    }
    return rules_.server != protocol::ServerTls::disable && server_.has(Capability::ssl);
}

void Handshake::on_ssl_request(const Packet& packet, Actions& actions) {
    if (rules_.policy == TlsPolicy::opaque) {
        pass(Side::server, packet, actions);
        go_blind(Note::opaque_tls, "TLS between client and server", actions);
        return;
    }
    if (!offers_tls()) {
        refuse(1043, "08S01", "isotap was asked for TLS that nobody offered", actions);
        return;
    }
    client_tls_ = true;
    if (wants_server_tls()) {
        pass(Side::server, packet, actions);
        stage_ = Stage::server_tls;
        actions.add(ActionKind::start_tls, Side::server);
    } else {
        start_client_tls(actions);
    }
}

/// Under `terminate`, a plain client in front of a server that wants TLS.
void Handshake::request_tls_of_server(const Packet& response, Actions& actions) {
    held_response_.assign(response.payload.begin(), response.payload.end());
    held_sequence_ = response.sequence;
    std::vector<std::uint8_t> head(held_response_.begin(),
                                   held_response_.begin() + ssl_request_size);
    set_tls_bit(head, response_capabilities_offset, true);
    pass(Side::server, {response.sequence, head}, actions);
    stage_ = Stage::server_tls;
    actions.add(ActionKind::start_tls, Side::server);
}

void Handshake::start_client_tls(Actions& actions) {
    stage_ = Stage::client_tls;
    // A client need not wait for anything: its ClientHello may be here already. It goes to the TLS
    // engine and nowhere else, so clear text cannot slip in under what follows.
    actions.add(ActionKind::start_tls, Side::client, pending(Side::client));
}

void Handshake::on_tls_started(Side leg, const protocol::TlsFacts& facts, Actions& actions) {
    if (leg == Side::client) {
        pending(Side::client).clear();
        stage_ = Stage::response;
        return;
    }
    if (rules_.policy == TlsPolicy::same_certificate && !facts.same_certificate) {
        on_tls_failed(leg, "the server shows another certificate than the proxy", actions);
        return;
    }
    server_tls_ = true;
    if (held_response_.empty()) {
        start_client_tls(actions);
        return;
    }
    const std::vector<std::uint8_t> response = std::exchange(held_response_, {});
    authenticate({held_sequence_, response}, actions);
    examine(Side::client, actions);
}

void Handshake::on_tls_failed(Side leg, std::string_view why, Actions& actions) {
    if (leg == Side::server && !client_tls_) {
        refuse(1043, "08S01", "isotap has no TLS with the server: " + std::string(why), actions);
        return;
    }
    // The client expects a TLS handshake or is in the midst of it: no packet would reach it.
    notes_.take(Note::refused_connection, why);
    stage_ = Stage::refused;
    actions.add(ActionKind::finish);
}

void Handshake::authenticate(const Packet& response, Actions& actions) {
    stage_ = Stage::authentication;
    if (client_tls_ == server_tls_) {
        pass(Side::server, response, actions);
        return;
    }
    std::vector<std::uint8_t> changed(response.payload.begin(), response.payload.end());
    set_tls_bit(changed, response_capabilities_offset, server_tls_);
    pass(Side::server, {response.sequence, changed}, actions);
}

}  // namespace isotap::mysql
