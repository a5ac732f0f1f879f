#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "isotap/base/arena.hpp"
#include "isotap/base/bytes.hpp"
#include "isotap/base/clock.hpp"
#include "isotap/protocol/tls_policy.hpp"

/// The sans-I/O contract between a dialect and whoever moves the bytes.
namespace isotap::protocol {

/// Client or server: which end of the session bytes come from or go to.
enum class Side : std::uint8_t { client, server };

constexpr Side other(Side side) noexcept {
    return side == Side::client ? Side::server : Side::client;
}

enum class ActionKind : std::uint8_t {
    dial,  ///< reach the server; then call `on_dialled` or `on_dial_failed`, feed nothing before
    send,  ///< send `bytes` to `to`
    start_tls,  ///< what was sent to `to` so far goes out as it is; all that follows is TLS. Then
                ///< call `on_tls_started` or `on_tls_failed`, feed nothing of either side before
    go_blind,   ///< the session will not look at any further byte, of either side: relay them
    finish,     ///< flush what is due to both sides, then close both
    hold,       ///< feed nothing more of the client before `on_released` has been called; the
                ///< server's bytes go on. The session keeps what it has not answered of its input
    wake,       ///< call `on_woken` after `Limits::silence`, whatever comes until then
};

/// One thing to do, in order. Input that no `send` mentions is swallowed.
struct Action {
    ActionKind kind{};
    Side to{};
    /// A range of the bytes just fed, or bytes that the session or these actions keep until the
    /// next call. With `start_tls`: what has already arrived of the handshake.
    Bytes bytes;
};

/// What a call to a session asks for, in order. The driver owns it, empties it and hands it in
/// again, so that the steady state allocates nothing.
class Actions {
  public:
    void clear() noexcept {
        list_.clear();
        owned_.clear();
        arena_.clear();
    }
    [[nodiscard]] auto begin() const noexcept { return list_.begin(); }
    [[nodiscard]] auto end() const noexcept { return list_.end(); }

    void add(ActionKind kind, Side to = Side::client, Bytes bytes = {}) {
        list_.push_back({kind, to, bytes});
    }

    /// Adjacent ranges to one side become one, so that a chunk of many messages is one write.
    void send(Side to, Bytes bytes) {
        if (bytes.empty()) {
            return;
        }
        if (!list_.empty()) {
            Action& last = list_.back();
            if (last.kind == ActionKind::send && last.to == to &&
                last.bytes.data() + last.bytes.size() == bytes.data()) {
                last.bytes = {last.bytes.data(), last.bytes.size() + bytes.size()};
                return;
            }
        }
        list_.push_back({ActionKind::send, to, bytes});
    }

    /// Sends bytes of our own making, which live here until `clear`.
    void send_own(Side to, std::vector<std::uint8_t> bytes) {
        list_.push_back({ActionKind::send, to, bytes});
        owned_.push_back(std::move(bytes));
    }

    /// Space for bytes of our own making that are to be sent; it lives here until `clear`.
    MutableBytes room(std::size_t size) { return arena_.room(size); }

  private:
    std::vector<Action> list_;
    std::vector<std::vector<std::uint8_t>> owned_;
    Arena arena_;
};

/// Why there is no server to speak with.
struct DialFailure {
    enum class Kind : std::uint8_t { unreachable, too_many_sessions };

    Kind kind = Kind::unreachable;
    std::string_view why;  ///< for a person; lives for the call only
};

/// What a session tells about itself between calls.
enum class Phase : std::uint8_t {
    handshake,  ///< not authenticated: the login time-out applies
    idle,       ///< nothing is owed and no transaction is open: may be ended without harm
    busy,       ///< a request is unanswered or a transaction is open
    blind,      ///< nobody knows
};

/// One client and its one server, seen as bytes. One thread at a time; never blocks, never throws
/// on input, allocates only bounded memory. Time is handed in.
class Session {
  public:
    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    /// Called once, before anything else: a dialect whose server speaks first dials here.
    virtual void start(Time now, Actions& actions) = 0;

    /// Takes bytes as they came, split or merged anywhere. When an action stops the flow (`dial`,
    /// `start_tls`), the bytes behind the message that caused it are kept or refused as the dialect
    /// demands; the driver never feeds them again.
    virtual void feed(Side from, Bytes bytes, Time now, Actions& actions) = 0;

    /// `from` will send no more. The driver relays the half-close itself, behind what is due.
    virtual void on_end(Side from, Time now, Actions& actions) = 0;

    /// Something that the session has kept for the server waits for its turn: the half-close of the
    /// client goes behind it.
    [[nodiscard]] virtual bool owes_server() const noexcept { return false; }

    virtual void on_dialled(Time now, Actions& actions) = 0;
    virtual void on_dial_failed(const DialFailure& failure, Time now, Actions& actions) = 0;
    virtual void on_tls_started(Side leg, TlsFacts facts, Time now, Actions& actions) = 0;
    virtual void on_tls_failed(Side leg, std::string_view why, Time now, Actions& actions) = 0;

    /// What a `hold` waited for has come, or has taken too long. Called once for each `hold`.
    virtual void on_released(Time now, Actions& actions) = 0;

    /// A moment has passed. Called once for each `wake`, while the server is there and the session
    /// is not blind.
    virtual void on_woken(Time /*now*/, Actions& /*actions*/) {}

    /// The proxy wants to end an idle or overdue session: the dialect says good-bye to both ends.
    virtual void on_shutdown(Time now, Actions& actions) = 0;

    /// The connection is gone: what is still open gets its outcome. Nothing is called afterwards.
    virtual void on_closed(Time now) = 0;

    [[nodiscard]] virtual Phase phase() const noexcept = 0;
};

}  // namespace isotap::protocol
