#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "isotap/history/ids.hpp"
#include "isotap/protocol/session.hpp"

#include "proxy/net/dialler.hpp"
#include "proxy/net/leg.hpp"
#include "proxy/net/poller.hpp"
#include "proxy/relay/relay_context.hpp"

namespace isotap::proxy {

/// One client and its one server: moves the bytes and does what the protocol session asks for.
///
/// Lives on one relay thread, which also owns it and keeps it until nothing can call it any more.
/// Reads from a side only while what it owes the other one is within bounds.
class RelaySession final : public std::enable_shared_from_this<RelaySession>,
                           private protocol::NoteTaker {
  public:
    RelaySession(RelayContext& context, const ListenerContext& listener, history::SessionId id,
                 Descriptor client);
    ~RelaySession() override = default;

    void start();

    /// Called a few times a second: ends what has taken too long.
    void on_tick(std::chrono::steady_clock::time_point now);

    /// Ends the session now if that harms nobody, else as soon as it does not.
    void drain();

    /// What a held client waits for has come; nothing when it is not held.
    void release();

    /// Ends the session whatever it is doing. True when it was in the middle of something.
    bool cut();

  private:
    using Clock = std::chrono::steady_clock;
    using Side = protocol::Side;

    /// What comes from one side, and how its socket tells.
    struct Direction final : Watcher {
        void on_ready(Ready ready) override { session->on_ready(side, ready); }

        RelaySession* session = nullptr;
        Side side = Side::client;
        bool ended = false;
    };

    void take(protocol::Note note, std::string_view detail) noexcept override;

    void on_ready(Side side, Ready ready);
    bool read(Side side);
    void on_bytes(Side side, Bytes bytes);
    void on_plaintext(Side side, Bytes bytes);
    void decrypt(Side side);
    void on_end(Side side, bool orderly);
    void pass_end_of_client();

    void perform();
    void perform_one(const protocol::Action& action);
    void dial();
    void on_dialled(Descriptor socket);
    void on_dial_failed(const protocol::DialFailure& failure);
    void hold();
    void wake();
    void start_tls(Side side, Bytes arrived);
    void go_on_with_tls();
    void on_tls_failed(const std::string& why);

    void resume();
    [[nodiscard]] bool may_read(Side side) const noexcept;
    [[nodiscard]] bool may_feed(Side side) const noexcept;
    void shut_down_if_idle();
    void shut_down();
    void close_if_done();
    void close();

    Leg& leg(Side side) noexcept { return side == Side::client ? client_ : server_; }
    [[nodiscard]] const Leg& leg(Side side) const noexcept {
        return side == Side::client ? client_ : server_;
    }
    Direction& from(Side side) noexcept { return directions_[static_cast<std::size_t>(side)]; }
    [[nodiscard]] const Direction& from(Side side) const noexcept {
        return directions_[static_cast<std::size_t>(side)];
    }

    RelayContext& context_;
    const ListenerContext& listener_;
    history::SessionId id_;
    Leg client_;
    Leg server_;
    std::array<Direction, 2> directions_;
    std::unique_ptr<protocol::Session> session_;
    std::shared_ptr<Dialler> dialler_;  ///< while dialling
    Clock::time_point began_ = Clock::now();
    Clock::time_point dial_began_;
    Clock::time_point last_word_;  ///< when there was nothing more to say to the client
    std::optional<Side> tls_starting_;
    Clock::time_point held_since_;
    bool holding_ = false;    ///< the client is not fed
    bool heard_ = false;      ///< the client has said something
    bool blind_ = false;      ///< the protocol session looks at nothing any more
    bool end_due_ = false;    ///< the server has not been told that the client has ended
    bool finishing_ = false;  ///< what is due goes out, what still comes in is dropped
    bool draining_ = false;
    bool turn_due_ = false;  ///< the poller will call again without news
    bool closed_ = false;
};

}  // namespace isotap::proxy
