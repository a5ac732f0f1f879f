#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "isotap/base/bytes.hpp"
#include "isotap/protocol/session.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/net/poller.hpp"
#include "proxy/net/ring.hpp"
#include "proxy/net/tls_engine.hpp"

namespace isotap::proxy {

/// What came of a read.
struct Received {
    enum class State : std::uint8_t {
        some,   ///< bytes have come
        none,   ///< nothing has come yet
        ended,  ///< the peer sends no more
        failed,
    };

    State state = State::none;
    Bytes bytes;  ///< `some`: at least one; good until the thread waits again
};

/// One end of a session: its socket, its TLS, and what could not be sent yet. Lives on one relay
/// thread. Never blocks; a peer that is gone swallows what is sent to it.
///
/// Where the poller has a ring, bytes come and small ones go by it; large ones, and everything
/// where there is none, by system calls of its own.
class Leg final : private Ring::Asker {
  public:
    Leg() = default;
    Leg(const Leg&) = delete;
    Leg& operator=(const Leg&) = delete;
    ~Leg() override { close(); }

    /// Takes a connected socket: no waiting for more bytes to fill a segment.
    void open(Descriptor socket);
    /// From now on `watcher` hears when a read may find something, or what was kept could be sent.
    void watch(Poller& poller, Watcher& watcher);
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(socket_); }
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }

    /// What the poller has told; flushes when that is possible now.
    void on_ready(Ready ready);

    /// What has come; `none` also means that the watcher will be told. `scratch` may be read into.
    /// Ciphertext where there is TLS.
    Received receive(MutableBytes scratch);

    /// Sends now what the socket takes and keeps the rest. `bytes` are not needed afterwards.
    void send(Bytes plaintext);

    /// Sends what was kept, as far as the socket takes it.
    void flush();

    /// Bytes that wait for the peer.
    [[nodiscard]] std::size_t queued() const noexcept {
        return queue_.size() - sent_ +
               (sending_ == nullptr ? 0 : sending_->bytes.size() - sending_->sent);
    }

    /// No more will be sent: passes the end on as soon as what is kept has gone out.
    void end();
    [[nodiscard]] bool ended() const noexcept { return end_wanted_; }

    void start_tls(std::unique_ptr<TlsEngine> engine) { tls_ = std::move(engine); }
    [[nodiscard]] TlsEngine* tls() noexcept { return tls_.get(); }
    /// Hands what TLS has produced to the socket.
    void send_tls_output();

    void close();

  private:
    /// What the ring has brought and nobody has taken.
    struct Arrived {
        int result = 0;  ///< a count, or -errno
        std::optional<std::uint16_t> buffer;
    };

    void on_done(Ring::Operation& operation, int result) override;
    void on_sent(int result);
    Received take_arrived();
    Received read(MutableBytes scratch);
    void send_raw(Bytes bytes);
    std::size_t write_some(Bytes bytes);
    void break_off();
    void end_if_flushed();

    Descriptor socket_;
    Watcher* watcher_ = nullptr;
    Ring* ring_ = nullptr;
    Ring::Operation* receiving_ = nullptr;
    Ring::Operation* sending_ = nullptr;
    std::optional<Arrived> arrived_;
    std::unique_ptr<TlsEngine> tls_;
    std::vector<std::uint8_t> queue_;  ///< behind what is being sent by the ring
    std::size_t sent_ = 0;
    bool readable_ = false;  ///< a read may find something
    bool ending_ = false;    ///< the peer has said its last word, which may still be unread
    bool end_wanted_ = false;
    bool broken_ = false;  ///< the peer takes nothing any more
};

}  // namespace isotap::proxy
