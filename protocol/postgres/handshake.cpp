#include "protocol/postgres/handshake.hpp"

#include <array>
#include <cassert>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/backend/error_response.hpp"

namespace isotap::postgres {

using frontend::StartupHeader;
using frontend::StartupKind;
using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Side;
using protocol::TlsPolicy;

namespace {

constexpr std::array<std::uint8_t, 8> ssl_request{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f};

constexpr std::string_view connection_failure = "08006";
constexpr std::string_view too_many_connections = "53300";

}  // namespace

void Handshake::feed(Side from, Bytes bytes, Actions& actions) {
    if (from == Side::client) {
        client_bytes(bytes, actions);
    } else {
        server_bytes(bytes, actions);
    }
}

void Handshake::client_bytes(Bytes bytes, Actions& actions) {
    // A client that does not wait for answers is legal as long as what it sends stays small.
    if (pending_.size() + bytes.size() > packet_size_ + 2 * limits_.startup_packet) {
        notes_.take(Note::refused_packet, "more bytes before authentication than any client sends");
        close(actions);
        return;
    }
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    if (stage_ == Stage::packet) {
        examine(actions);
    }
}

void Handshake::examine(Actions& actions) {
    if (pending_.empty()) {
        return;
    }
    const bool first_packet = !dialled_ && !client_tls_ && reachable();
    if (first_packet && pending_.front() == frontend::tls_record_handshake) {
        direct_ = true;
        reach_server(actions);
        return;
    }
    examine_packet(actions);
}

void Handshake::examine_packet(Actions& actions) {
    if (pending_.size() < StartupHeader::size) {
        ByteReader reader(pending_);
        const std::uint32_t length = reader.be32();
        if (reader.ok() && (length < StartupHeader::size || length > limits_.startup_packet)) {
            notes_.take(Note::refused_packet, "the first bytes are no start-up packet");
            close(actions);
        }
        return;
    }
    const auto header = StartupHeader::decode(pending_, limits_.startup_packet);
    if (!header) {
        notes_.take(Note::refused_packet, "the first bytes are no start-up packet");
        close(actions);
        return;
    }
    if (pending_.size() < header->length) {
        return;
    }
    packet_size_ = header->length;
    kind_ = header->kind();
    if (dialled_ || !reachable()) {
        act(actions);
    } else {
        reach_server(actions);
    }
}

void Handshake::reach_server(Actions& actions) {
    stage_ = Stage::dialling;
    actions.add(ActionKind::dial);
}

void Handshake::on_dialled(Actions& actions) {
    assert(stage_ == Stage::dialling);
    dialled_ = true;
    if (rules_.policy == TlsPolicy::terminate && rules_.server != protocol::ServerTls::disable) {
        stage_ = Stage::own_ssl_answer;
        actions.send(Side::server, ssl_request);
        return;
    }
    act(actions);
}

void Handshake::on_dial_failed(const protocol::DialFailure& failure, Actions& actions) {
    assert(stage_ == Stage::dialling);
    if (failure.kind == protocol::DialFailure::Kind::too_many_sessions) {
        refusal_state_ = too_many_connections;
        unreachable_ = "isotap: ";
    } else {
        unreachable_ = "isotap: the server cannot be reached: ";
    }
    unreachable_ += failure.why;
    act(actions);
}

void Handshake::act(Actions& actions) {
    if (direct_ && !client_tls_) {
        act_on_direct_tls(actions);
        return;
    }
    switch (kind_) {
        case StartupKind::ssl_request: act_on_ssl_request(actions); break;
        case StartupKind::gss_request: act_on_gss_request(actions); break;
        case StartupKind::cancel_request: act_on_cancel_request(actions); break;
        case StartupKind::startup: act_on_startup(actions); break;
    }
}

void Handshake::act_on_direct_tls(Actions& actions) {
    if (reachable() && mirrors()) {
        stage_ = Stage::server_tls;
        actions.add(ActionKind::start_tls, Side::server);
    } else if (rules_.policy == TlsPolicy::terminate && rules_.certificate) {
        stage_ = Stage::client_tls;
        actions.add(ActionKind::start_tls, Side::client, pending_);
    } else if (reachable()) {
        actions.send(Side::server, pending_);
        packet_size_ = pending_.size();
        go_blind(Note::opaque_tls, actions);
    } else {
        close(actions);
    }
}

void Handshake::act_on_ssl_request(Actions& actions) {
    if (client_tls_) {
        act_on_startup(actions);  // TLS inside TLS: the server has its own words for that
    } else if (!reachable() || rules_.policy == TlsPolicy::terminate) {
        if (rules_.certificate) {
            accept_tls(actions);
        } else {
            decline_encryption(actions);
        }
    } else {
        stage_ = Stage::ssl_answer;
        actions.send(Side::server, Bytes(pending_).first(packet_size_));
    }
}

void Handshake::act_on_gss_request(Actions& actions) {
    if (!reachable() || server_tls_) {
        decline_encryption(actions);
        return;
    }
    stage_ = Stage::gss_answer;
    actions.send(Side::server, Bytes(pending_).first(packet_size_));
}

void Handshake::act_on_cancel_request(Actions& actions) {
    if (!reachable()) {
        close(actions);
        return;
    }
    actions.send(Side::server, Bytes(pending_).first(packet_size_));
    go_blind(Note::cancel_request, actions);
}

void Handshake::act_on_startup(Actions& actions) {
    if (!reachable()) {
        refuse(refusal_state_.empty() ? connection_failure : refusal_state_, unreachable_, actions);
        return;
    }
    const Bytes packet = Bytes(pending_).first(packet_size_);
    actions.send(Side::server, packet);
    startup_ = frontend::Startup::decode(packet).value_or(frontend::Startup{});
    if (startup_.replication) {
        go_blind(Note::replication, actions);
    } else {
        stage_ = Stage::started;
    }
}

void Handshake::next_packet(Actions& actions) {
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(packet_size_));
    packet_size_ = 0;
    stage_ = Stage::packet;
    examine(actions);
}

void Handshake::refuse(std::string_view sql_state, std::string_view message, Actions& actions) {
    notes_.take(Note::refused_connection, message);
    actions.send_own(Side::client, backend::ErrorResponse::encode_fatal(sql_state, message));
    close(actions);
}

void Handshake::close(Actions& actions) {
    stage_ = Stage::refused;
    actions.add(ActionKind::finish);
}

void Handshake::go_blind(Note note, Actions& actions) {
    notes_.take(note, {});
    stage_ = Stage::blind;
    actions.send(Side::server, early());
    actions.add(ActionKind::go_blind);
}

bool Handshake::mirrors() const noexcept {
    return rules_.certificate &&
           (rules_.policy == TlsPolicy::mirror || rules_.policy == TlsPolicy::same_certificate);
}

}  // namespace isotap::postgres
