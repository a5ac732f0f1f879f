#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "isotap/base/bytes.hpp"
#include "isotap/protocol/session.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/net/tls_engine.hpp"

namespace isotap::proxy {

/// What came of a read.
struct Received {
    enum class State : std::uint8_t {
        some,   ///< `size` bytes, at least one
        none,   ///< nothing has come yet
        ended,  ///< the peer sends no more
        failed,
    };

    State state = State::none;
    std::size_t size = 0;
};

/// One end of a session: its socket, its TLS, and what could not be sent yet. Lives on one relay
/// thread. Never blocks; a peer that is gone swallows what is sent to it.
class Leg {
  public:
    /// Takes a connected socket, which does not block: no waiting for more bytes to fill a segment.
    void open(Descriptor socket);
    [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(socket_); }
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }

    /// Reads what has come, as far as there is room. Ciphertext where there is TLS.
    Received receive(MutableBytes into) noexcept;

    /// Sends now what the socket takes and keeps the rest. `bytes` are not needed afterwards.
    void send(Bytes plaintext);

    /// Sends what was kept, as far as the socket takes it.
    void flush();

    /// Bytes that wait for the peer.
    [[nodiscard]] std::size_t queued() const noexcept { return queue_.size() - sent_; }

    /// No more will be sent: passes the end on as soon as what is kept has gone out.
    void end();
    [[nodiscard]] bool ended() const noexcept { return end_wanted_; }

    void start_tls(std::unique_ptr<TlsEngine> engine) { tls_ = std::move(engine); }
    [[nodiscard]] TlsEngine* tls() noexcept { return tls_.get(); }
    /// Hands what TLS has produced to the socket.
    void send_tls_output();

    void close();

  private:
    void send_raw(Bytes bytes);
    std::size_t write_some(Bytes bytes);
    void end_if_flushed();

    Descriptor socket_;
    std::unique_ptr<TlsEngine> tls_;
    std::vector<std::uint8_t> queue_;
    std::size_t sent_ = 0;
    bool end_wanted_ = false;
    bool broken_ = false;  ///< the peer takes nothing any more
};

}  // namespace isotap::proxy
