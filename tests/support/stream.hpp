#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "isotap/base/bytes.hpp"

#include "tests/support/descriptor.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace isotap::test {

/// Where to connect to: a port of 127.0.0.1, or a unix socket when that is set.
struct Endpoint {
    std::uint16_t port = 0;
    std::filesystem::path unix_socket{};
};

/// The peer did not do in time what the test waits for.
class TimeRanOut : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// How a client asks for TLS.
struct TlsWish {
    std::string alpn{};             ///< one protocol name; none when empty
    std::filesystem::path trust{};  ///< the root to check the server against; no check if empty
    std::filesystem::path certificate{};  ///< what to show the server
    std::filesystem::path key{};
};

/// A connection whose every byte the test decides: blocking calls with a deadline each, TCP_NODELAY
/// set, TLS started when the test says. What the network refuses throws std::system_error; TLS
/// failures std::runtime_error. One thread.
class Stream {
  public:
    explicit Stream(const Endpoint& peer);
    ~Stream();
    Stream(Stream&&) noexcept;
    Stream& operator=(Stream&&) noexcept;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// How long each of the calls below may wait.
    void set_patience(std::chrono::milliseconds patience) noexcept { patience_ = patience; }

    /// Smallest possible receive buffer: the peer meets a client that does not read. Call it
    /// before anything is received.
    void shrink_receive_buffer() const;

    /// Everything is with the kernel when it returns. A peer that is gone is not an error: what it
    /// still had to say is worth reading.
    void send(Bytes bytes);
    void send(std::string_view text) { send(as_bytes(text)); }

    /// What is there, at least a byte; 0 when the peer has ended or reset the connection.
    std::size_t receive(MutableBytes into);

    /// True when the peer reset the connection instead of ending it.
    [[nodiscard]] bool was_reset() const noexcept { return was_reset_; }

    void start_tls(const TlsWish& wish = {});

    /// After start_tls: what both agreed on; empty without ALPN.
    [[nodiscard]] std::string agreed_alpn() const;

    /// The DER bytes of the certificate that the peer showed.
    [[nodiscard]] std::string peer_certificate() const;

    /// No more from our side; the peer may go on.
    void end_sending();

    /// Drops the connection with a TCP reset.
    void reset();

  private:
    void wait_for(short events, std::chrono::steady_clock::time_point deadline) const;
    void after_tls_call(int result, std::chrono::steady_clock::time_point deadline);

    Descriptor socket_;
    std::chrono::milliseconds patience_{60'000};  // a busy machine may stand still for seconds
    bool was_reset_ = false;
    std::unique_ptr<ssl_ctx_st, void (*)(ssl_ctx_st*)> context_;
    std::unique_ptr<ssl_st, void (*)(ssl_st*)> tls_;
};

}  // namespace isotap::test
