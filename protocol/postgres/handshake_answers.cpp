#include <utility>

#include "protocol/postgres/handshake.hpp"

/// What the server says to requests for encryption, what becomes of TLS, and what the client is
/// told.
namespace isotap::postgres {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Side;
using protocol::TlsPolicy;

namespace {

constexpr std::uint8_t accepted_ssl = 'S';
constexpr std::uint8_t accepted_gss = 'G';
constexpr std::uint8_t declined = 'N';

constexpr std::string_view protocol_violation = "08P01";

}  // namespace

void Handshake::server_bytes(Bytes bytes, Actions& actions) {
    switch (stage_) {
        case Stage::ssl_answer: on_ssl_answer(bytes, actions); break;
        case Stage::own_ssl_answer: on_own_ssl_answer(bytes, actions); break;
        case Stage::gss_answer: on_gss_answer(bytes, actions); break;
        default:
            // A server that speaks unasked: whatever it is, it is for the client.
            actions.send(Side::client, bytes);
            go_blind(Note::unknown_message, actions);
            break;
    }
}

void Handshake::on_ssl_answer(Bytes answer, Actions& actions) {
    if (answer[0] == declined && answer.size() == 1) {
        actions.send(Side::client, answer);
        next_packet(actions);
    } else if (answer[0] == accepted_ssl && mirrors()) {
        if (answer.size() > 1) {
            refuse(protocol_violation,
                   "isotap: the server sent unencrypted data behind its answer to the TLS request",
                   actions);
            return;
        }
        stage_ = Stage::server_tls;
        actions.add(ActionKind::start_tls, Side::server);
    } else {
        actions.send(Side::client, answer);
        go_blind(answer[0] == accepted_ssl ? Note::opaque_tls : Note::unknown_message, actions);
    }
}

void Handshake::on_own_ssl_answer(Bytes answer, Actions& actions) {
    if (answer[0] == accepted_ssl && answer.size() == 1) {
        stage_ = Stage::server_tls;
        actions.add(ActionKind::start_tls, Side::server);
        return;
    }
    if (answer[0] != declined || answer.size() != 1) {
        unreachable_ = "isotap: the server gave no proper answer to the TLS request";
    } else if (rules_.server == protocol::ServerTls::require) {
        unreachable_ = "isotap: the server offers no TLS, and the upstream URL requires it";
    }
    act(actions);
}

void Handshake::on_gss_answer(Bytes answer, Actions& actions) {
    actions.send(Side::client, answer);
    if (answer[0] == declined && answer.size() == 1) {
        next_packet(actions);
    } else {
        go_blind(answer[0] == accepted_gss ? Note::opaque_encryption : Note::unknown_message,
                 actions);
    }
}

void Handshake::on_tls_started(Side leg, protocol::TlsFacts facts, Actions& actions) {
    if (leg == Side::server) {
        server_tls_ = true;
        certificates_agree_ = facts.same_certificate;
        if (rules_.policy == TlsPolicy::same_certificate && !certificates_agree_) {
            unreachable_ =
                "isotap: the server shows another certificate than the one given to the proxy";
        }
        server_leg_settled(actions);
        return;
    }
    client_tls_ = true;
    certificate_hash_ = std::move(facts.certificate_hash);
    pending_.clear();
    packet_size_ = 0;
    stage_ = Stage::packet;
    if (direct_ && !facts.alpn) {
        refuse(protocol_violation,
               "received direct SSL connection request without ALPN protocol negotiation extension",
               actions);
    }
}

void Handshake::on_tls_failed(Side leg, std::string_view why, Actions& actions) {
    if (leg == Side::client || (direct_ && mirrors())) {
        close(actions);
        return;
    }
    unreachable_ = "isotap: TLS with the server failed: ";
    unreachable_ += why;
    server_leg_settled(actions);
}

/// Both go on where the client's packet left them: with TLS of its own, or with what it asked for.
void Handshake::server_leg_settled(Actions& actions) {
    if (!mirrors()) {
        act(actions);
    } else if (direct_) {
        stage_ = Stage::client_tls;
        actions.add(ActionKind::start_tls, Side::client, pending_);
    } else {
        accept_tls(actions);
    }
}

void Handshake::accept_tls(Actions& actions) {
    if (pending_.size() > packet_size_) {
        // Somebody in between may have put it there: it must not count as sent under TLS.
        refuse(protocol_violation, "received unencrypted data after SSL request", actions);
        return;
    }
    stage_ = Stage::client_tls;
    actions.send_own(Side::client, {accepted_ssl});
    actions.add(ActionKind::start_tls, Side::client);
}

void Handshake::decline_encryption(Actions& actions) {
    actions.send_own(Side::client, {declined});
    next_packet(actions);
}

}  // namespace isotap::postgres
