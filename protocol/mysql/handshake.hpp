#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/protocol/note.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/mysql/channel.hpp"

namespace isotap::mysql {

/// The connection phase: from the server's greeting, over the TLS handshakes of both legs, to the
/// OK that ends authentication.
///
/// Server and client speak with one another; nothing of what they say about who they are is ours:
/// connection id, scramble, plugins and every round of every authentication method pass untouched.
/// What may change is the TLS bit, and, where the legs differ in TLS, the sequence ids.
class Handshake {
  public:
    enum class Stage : std::uint8_t {
        dialling,        ///< waiting for the server to be reached
        greeting,        ///< waiting for its first packet
        response,        ///< waiting for the client's SSLRequest or HandshakeResponse
        server_tls,      ///< TLS is being started with the server
        client_tls,      ///< TLS is being started with the client
        authentication,  ///< the server asks, the client answers, until OK or ERR
        done,            ///< commands follow
        blind,           ///< what follows is not ours to read
        refused,         ///< over
    };

    Handshake(const protocol::TlsRules& rules, const Limits& limits,
              protocol::NoteTaker& notes) noexcept
        : rules_(rules), limits_(limits), notes_(notes) {}

    void start(protocol::Actions& actions);

    /// Takes bytes of either side, until `stage()` says that it is over.
    void feed(protocol::Side from, Bytes bytes, protocol::Actions& actions);
    void on_dialled() noexcept;
    void on_dial_failed(const protocol::DialFailure& failure, protocol::Actions& actions);
    void on_tls_started(protocol::Side leg, const protocol::TlsFacts& facts,
                        protocol::Actions& actions);
    void on_tls_failed(protocol::Side leg, std::string_view why, protocol::Actions& actions);

    /// The login took too long, or the proxy goes down.
    void shut_down(protocol::Actions& actions);

    [[nodiscard]] Stage stage() const noexcept { return stage_; }

    /// Complete once done.
    [[nodiscard]] const ChannelFacts& channel() const noexcept { return channel_; }

    /// What a side sent behind the handshake in the same breath.
    [[nodiscard]] std::vector<std::uint8_t> take_rest(protocol::Side from) noexcept;

  private:
    /// A whole packet at the head of what a side has sent.
    struct Packet {
        std::uint8_t sequence = 0;
        Bytes payload;
    };

    [[nodiscard]] std::vector<std::uint8_t>& pending(protocol::Side side) noexcept {
        return pending_[side == protocol::Side::client ? 0 : 1];
    }
    void examine(protocol::Side from, protocol::Actions& actions);
    [[nodiscard]] bool listens_to(protocol::Side from) const noexcept;
    void on_packet(protocol::Side from, const Packet& packet, protocol::Actions& actions);
    void on_oversized(protocol::Side from, protocol::Actions& actions);
    void on_greeting(const Packet& packet, protocol::Actions& actions);
    void on_response(const Packet& packet, protocol::Actions& actions);
    void on_ssl_request(const Packet& packet, protocol::Actions& actions);
    void on_server_word(const Packet& packet, protocol::Actions& actions);
    void request_tls_of_server(const Packet& response, protocol::Actions& actions);
    void start_client_tls(protocol::Actions& actions);
    void authenticate(const Packet& response, protocol::Actions& actions);
    void pass(protocol::Side to, const Packet& packet, protocol::Actions& actions);
    void refuse(std::uint16_t number, std::string_view sql_state, std::string_view message,
                protocol::Actions& actions);
    void go_blind(protocol::Note note, std::string_view detail, protocol::Actions& actions);

    [[nodiscard]] bool offers_tls() const noexcept;
    [[nodiscard]] bool wants_server_tls() const noexcept;

    protocol::TlsRules rules_;
    const Limits& limits_;
    protocol::NoteTaker& notes_;
    Stage stage_ = Stage::dialling;
    std::array<std::vector<std::uint8_t>, 2> pending_;
    ChannelFacts channel_;
    Capabilities server_;
    Capabilities ssl_request_;
    bool client_tls_ = false;
    bool server_tls_ = false;
    std::uint8_t next_sequence_ = 0;           ///< of a packet that the client would accept now
    std::vector<std::uint8_t> held_response_;  ///< waits for TLS with the server
    std::uint8_t held_sequence_ = 0;
};

}  // namespace isotap::mysql
