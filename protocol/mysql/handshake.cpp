#include "protocol/mysql/handshake.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/mysql/messages/error_packet.hpp"
#include "protocol/mysql/messages/greeting.hpp"
#include "protocol/mysql/messages/handshake_response.hpp"
#include "protocol/mysql/messages/ok_packet.hpp"
#include "protocol/mysql/server_version.hpp"
#include "protocol/mysql/tls_bit.hpp"

namespace isotap::mysql {

using protocol::ActionKind;
using protocol::Actions;
using protocol::Note;
using protocol::Side;
using protocol::TlsPolicy;

namespace {

constexpr std::size_t header_length = 4;

std::size_t announced_size(Bytes bytes) noexcept {
    return static_cast<std::size_t>(bytes[0] | bytes[1] << 8 | bytes[2] << 16);
}

/// What shapes commands and replies: here the two packets of a client must say the same.
constexpr Capabilities shaping = Capabilities(0, 0xffffffff)
                                     .with(Capability::compress)
                                     .with(Capability::zstd_compression)
                                     .with(Capability::protocol_41)
                                     .with(Capability::session_track)
                                     .with(Capability::deprecate_eof)
                                     .with(Capability::optional_resultset_metadata)
                                     .with(Capability::query_attributes);

}  // namespace

void Handshake::start(Actions& actions) {
    actions.add(ActionKind::dial, Side::server);
}

void Handshake::on_dialled() noexcept {
    stage_ = Stage::greeting;
}

void Handshake::on_dial_failed(const protocol::DialFailure& failure, Actions& actions) {
    if (failure.kind == protocol::DialFailure::Kind::too_many_sessions) {
        refuse(1040, "08004", "Too many connections", actions);
    } else {
        refuse(1158, "08S01", "isotap cannot reach the server: " + std::string(failure.why),
               actions);
    }
}

void Handshake::feed(Side from, Bytes bytes, Actions& actions) {
    std::vector<std::uint8_t>& waiting = pending(from);
    waiting.insert(waiting.end(), bytes.begin(), bytes.end());
    examine(from, actions);
    // A client may speak before the greeting, as long as it does not fill our memory.
    if (stage_ == Stage::greeting && waiting.size() > header_length + limits_.handshake_packet) {
        on_oversized(from, actions);
    }
}

std::vector<std::uint8_t> Handshake::take_rest(Side from) noexcept {
    return std::exchange(pending(from), {});
}

void Handshake::examine(Side from, Actions& actions) {
    for (;;) {
        std::vector<std::uint8_t>& waiting = pending(from);
        if (!listens_to(from) || waiting.size() < header_length) {
            return;
        }
        const std::size_t size = announced_size(waiting);
        if (size > limits_.handshake_packet) {
            on_oversized(from, actions);
            return;
        }
        if (waiting.size() < header_length + size) {
            return;
        }
        // The packet leaves the queue first: whoever handles it may look at what is behind it.
        const std::vector<std::uint8_t> whole(
            waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(header_length + size));
        waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(whole.size()));
        on_packet(from, {whole[3], Bytes(whole).subspan(header_length)}, actions);
    }
}

bool Handshake::listens_to(Side from) const noexcept {
    return stage_ == Stage::authentication || stage_ == Stage::response ||
           (stage_ == Stage::greeting && from == Side::server);
}

void Handshake::on_oversized(Side from, Actions& actions) {
    if (from == Side::client) {
        notes_.take(Note::refused_packet, "a packet too large for a handshake");
        refuse(1153, "08S01", "Got a packet bigger than 'max_allowed_packet' bytes", actions);
    } else {
        go_blind(Note::unknown_message, "a packet too large for a handshake", actions);
    }
}

void Handshake::on_packet(Side from, const Packet& packet, Actions& actions) {
    if (from == Side::client) {
        if (stage_ == Stage::response) {
            on_response(packet, actions);
        } else {
            pass(Side::server, packet, actions);
        }
    } else if (stage_ == Stage::greeting) {
        on_greeting(packet, actions);
    } else {
        on_server_word(packet, actions);
    }
}

void Handshake::on_greeting(const Packet& packet, Actions& actions) {
    const auto greeting = decode_greeting(packet.payload);
    if (!greeting) {
        pass(Side::client, packet, actions);
        // An ERR instead of a greeting is the server's last word, and complete.
        if (!decode_error(packet.payload)) {
            go_blind(Note::unknown_message, "a greeting of an unknown version", actions);
        }
        return;
    }
    server_ = greeting->capabilities;
    const ServerVersion version = read_server_version(greeting->server_version);
    channel_.mariadb = version.mariadb;
    channel_.server_version = version.number;
    channel_.status = greeting->status;
    if (rules_.policy == TlsPolicy::terminate && rules_.server == protocol::ServerTls::require &&
        !server_.has(Capability::ssl)) {
        refuse(1043, "08S01", "isotap must use TLS to the server, which does not offer it",
               actions);
        return;
    }
    if (offers_tls() == server_.has(Capability::ssl)) {
        pass(Side::client, packet, actions);
    } else {
        std::vector<std::uint8_t> changed(packet.payload.begin(), packet.payload.end());
        set_tls_bit(changed, *greeting_capabilities_offset(packet.payload), offers_tls());
        pass(Side::client, {packet.sequence, changed}, actions);
    }
    stage_ = Stage::response;
    examine(Side::client, actions);
}

void Handshake::on_response(const Packet& packet, Actions& actions) {
    const auto response = decode_handshake_response(packet.payload, server_);
    if (!response) {
        pass(Side::server, packet, actions);
        go_blind(Note::unknown_message, "a handshake response that cannot be read", actions);
        return;
    }
    if (!client_tls_ && packet.payload.size() == ssl_request_size &&
        response->capabilities.has(Capability::ssl)) {
        ssl_request_ = response->capabilities;
        on_ssl_request(packet, actions);
        return;
    }
    const Capabilities spoken = response->capabilities & server_;
    channel_.in_force = spoken;
    channel_.compression = compression_of(spoken);
    channel_.collation = response->collation;
    channel_.trail_bytes_look_ascii = trail_bytes_look_ascii(response->collation);
    channel_.user = response->user;
    channel_.database = response->database;
    channel_.program = response->program;
    if (wants_server_tls() && !server_tls_) {
        request_tls_of_server(packet, actions);
    } else {
        authenticate(packet, actions);
    }
}

void Handshake::on_server_word(const Packet& packet, Actions& actions) {
    pass(Side::client, packet, actions);
    if (stage_ != Stage::authentication || packet.payload.empty() ||
        packet.payload.front() != ok_header) {
        return;  // one more round, or an ERR: then the server closes
    }
    // A plugin may send anything, also a zero. An OK is at least this long.
    constexpr std::size_t ok_size_min = 7;
    const auto ok = decode_ok(packet.payload, channel_.in_force);
    if (packet.payload.size() < ok_size_min || !ok) {
        return;
    }
    channel_.status = ok->status;
    notes_.take(Note::authenticated, channel_.user);
    const std::uint64_t differ = ssl_request_.bits() ^ channel_.in_force.bits();
    if (client_tls_ && (differ & server_.bits() & shaping.bits()) != 0) {
        // Servers disagree on which of the two packets counts.
        go_blind(Note::unknown_message, "capabilities that changed with TLS", actions);
        return;
    }
    stage_ = Stage::done;
}

/// Sends a packet on, renumbered where one leg has had an SSLRequest and the other has not.
void Handshake::pass(Side to, const Packet& packet, Actions& actions) {
    std::uint8_t sequence = packet.sequence;
    if (stage_ == Stage::authentication && client_tls_ != server_tls_) {
        const bool one_more = (to == Side::server) == server_tls_;
        sequence = static_cast<std::uint8_t>(one_more ? sequence + 1 : sequence - 1);
    }
    const std::size_t size = packet.payload.size();
    std::vector<std::uint8_t> whole{static_cast<std::uint8_t>(size),
                                    static_cast<std::uint8_t>(size >> 8),
                                    static_cast<std::uint8_t>(size >> 16), sequence};
    whole.insert(whole.end(), packet.payload.begin(), packet.payload.end());
    actions.send_own(to, std::move(whole));
    next_sequence_ =
        static_cast<std::uint8_t>((to == Side::client ? sequence : packet.sequence) + 1);
}

void Handshake::shut_down(Actions& actions) {
    const bool client_listens = stage_ == Stage::dialling || stage_ == Stage::greeting ||
                                stage_ == Stage::response || stage_ == Stage::authentication;
    if (client_listens) {
        refuse(1159, "08S01", "Got timeout reading communication packets", actions);
    } else {
        actions.add(ActionKind::finish);
    }
}

void Handshake::refuse(std::uint16_t number, std::string_view sql_state, std::string_view message,
                       Actions& actions) {
    notes_.take(Note::refused_connection, message);
    ErrorPacket error;
    error.number = number;
    std::copy_n(sql_state.begin(), error.sql_state.size(), error.sql_state.begin());
    error.message = message;
    std::vector<std::uint8_t> packet;
    encode_error(error, next_sequence_, packet);
    actions.send_own(Side::client, std::move(packet));
    stage_ = Stage::refused;
    actions.add(ActionKind::finish);
}

void Handshake::go_blind(Note note, std::string_view detail, Actions& actions) {
    notes_.take(note, detail);
    stage_ = Stage::blind;
    for (const Side from : {Side::client, Side::server}) {
        if (!pending(from).empty()) {
            actions.send_own(protocol::other(from), take_rest(from));
        }
    }
    actions.add(ActionKind::go_blind);
}

}  // namespace isotap::mysql
