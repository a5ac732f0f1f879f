#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <openssl/ssl.h>

#include "isotap/base/bytes.hpp"

#include "proxy/net/tls_context.hpp"

namespace isotap::proxy {

/// TLS without a socket: bytes in, bytes out. Whoever drives it moves the ciphertext, so that no
/// plaintext ever waits inside the library while a socket looks idle. One thread.
class TlsEngine {
  public:
    enum class Status : std::uint8_t { ok, wants_input, closed, failed };

    /// Answers a client.
    explicit TlsEngine(const SslContext& context);

    /// Opens towards a server. `host` is what we call it; with `verify_name` its certificate must
    /// too.
    TlsEngine(const SslContext& context, const std::string& host, bool verify_name);

    /// Ciphertext from the peer. Taken whole.
    void feed(Bytes ciphertext);

    /// Goes on with the handshake. `ok` once it is through.
    Status handshake();
    [[nodiscard]] bool established() const noexcept { return established_; }

    /// Decrypts into `into`; `size` says how much.
    Status read(MutableBytes into, std::size_t& size);

    /// Encrypts all of `plaintext`. False when the connection is broken.
    bool write(Bytes plaintext);

    /// Says that no more plaintext follows.
    void close();

    /// Ciphertext for the peer. Valid until the next call; then `sent`.
    [[nodiscard]] Bytes output() const noexcept;
    void sent() noexcept;

    /// The peer's certificate equals the one that `own` shows.
    [[nodiscard]] bool peer_shows_certificate_of(const SslContext& own) const;
    [[nodiscard]] bool alpn_agreed() const noexcept;

    /// The hash of the certificate that we show, as tls-server-end-point (RFC 5929) has it. Empty
    /// when we show none, or when its signature algorithm names no hash.
    [[nodiscard]] std::vector<std::uint8_t> certificate_hash() const;

    /// Why the handshake failed, for a person.
    [[nodiscard]] std::string failure() const;

  private:
    struct SslFree {
        void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    };

    Status status_of(int result);

    std::unique_ptr<SSL, SslFree> ssl_;
    BIO* incoming_;  // owned by ssl_
    BIO* outgoing_;  // owned by ssl_
    bool established_ = false;
    std::string failure_;
};

}  // namespace isotap::proxy
