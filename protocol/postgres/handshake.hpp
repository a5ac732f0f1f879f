#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/limits.hpp"
#include "isotap/protocol/note.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/postgres/frontend/startup.hpp"

namespace isotap::postgres {

/// The packets without a type byte: from a client's first byte to the StartupMessage that the
/// server gets, through any chain of requests for encryption that come before it, and both TLS
/// handshakes.
///
/// What is not ours to decide is the server's: its answers are passed on, and what it would refuse
/// it refuses itself.
class Handshake {
  public:
    enum class Stage : std::uint8_t {
        packet,          ///< waiting for a packet of the client
        dialling,        ///< waiting for the server to be reached
        ssl_answer,      ///< the client's SSLRequest is with the server: one byte will come
        own_ssl_answer,  ///< so is one that we sent for ourselves
        gss_answer,      ///< the client's GSSENCRequest is with the server: one byte will come
        server_tls,      ///< TLS is being started with the server
        client_tls,      ///< TLS is being started with the client
        started,         ///< the StartupMessage is with the server
        blind,           ///< what follows is not ours to read
        refused,         ///< over
    };

    Handshake(const protocol::TlsRules& rules, const Limits& limits,
              protocol::NoteTaker& notes) noexcept
        : rules_(rules), limits_(limits), notes_(notes) {}

    /// Takes bytes of either side, until `stage()` says that it is over.
    void feed(protocol::Side from, Bytes bytes, protocol::Actions& actions);
    void on_dialled(protocol::Actions& actions);
    void on_dial_failed(const protocol::DialFailure& failure, protocol::Actions& actions);
    void on_tls_started(protocol::Side leg, protocol::TlsFacts facts, protocol::Actions& actions);
    void on_tls_failed(protocol::Side leg, std::string_view why, protocol::Actions& actions);

    [[nodiscard]] Stage stage() const noexcept { return stage_; }

    /// Meaningful once started. Views into the packet, which is kept as long as this object.
    [[nodiscard]] const frontend::Startup& startup() const noexcept { return startup_; }

    /// What the client sent behind its StartupMessage without waiting.
    [[nodiscard]] Bytes early() const noexcept { return Bytes(pending_).subspan(packet_size_); }

    [[nodiscard]] bool client_tls() const noexcept { return client_tls_; }
    [[nodiscard]] bool server_tls() const noexcept { return server_tls_; }
    /// False when a client that binds its proof to our certificate cannot convince the server.
    [[nodiscard]] bool certificates_agree() const noexcept { return certificates_agree_; }
    /// See protocol::TlsFacts.
    [[nodiscard]] const std::vector<std::uint8_t>& certificate_hash() const noexcept {
        return certificate_hash_;
    }

  private:
    void client_bytes(Bytes bytes, protocol::Actions& actions);
    void server_bytes(Bytes bytes, protocol::Actions& actions);
    void examine(protocol::Actions& actions);
    void examine_packet(protocol::Actions& actions);
    void reach_server(protocol::Actions& actions);
    void act(protocol::Actions& actions);
    void act_on_direct_tls(protocol::Actions& actions);
    void act_on_ssl_request(protocol::Actions& actions);
    void act_on_gss_request(protocol::Actions& actions);
    void act_on_cancel_request(protocol::Actions& actions);
    void act_on_startup(protocol::Actions& actions);
    void on_ssl_answer(Bytes answer, protocol::Actions& actions);
    void on_own_ssl_answer(Bytes answer, protocol::Actions& actions);
    void on_gss_answer(Bytes answer, protocol::Actions& actions);
    void server_leg_settled(protocol::Actions& actions);
    void accept_tls(protocol::Actions& actions);
    void decline_encryption(protocol::Actions& actions);
    void next_packet(protocol::Actions& actions);
    void refuse(std::string_view sql_state, std::string_view message, protocol::Actions& actions);
    void close(protocol::Actions& actions);
    void go_blind(protocol::Note note, protocol::Actions& actions);
    [[nodiscard]] bool mirrors() const noexcept;
    [[nodiscard]] bool reachable() const noexcept { return unreachable_.empty(); }

    protocol::TlsRules rules_;
    const Limits& limits_;
    protocol::NoteTaker& notes_;
    Stage stage_ = Stage::packet;
    std::vector<std::uint8_t> pending_;  ///< of the client, not yet dealt with
    std::size_t packet_size_ = 0;        ///< of the packet at the head of `pending_`
    std::string_view refusal_state_;
    std::string unreachable_;  ///< why there is no server to speak with
    frontend::StartupKind kind_{};
    frontend::Startup startup_;
    bool dialled_ = false;
    bool direct_ = false;
    bool client_tls_ = false;
    bool server_tls_ = false;
    bool certificates_agree_ = false;
    std::vector<std::uint8_t> certificate_hash_;
};

}  // namespace isotap::postgres
