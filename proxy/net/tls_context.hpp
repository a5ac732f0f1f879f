#pragma once

#include <memory>
#include <mutex>
#include <string>

#include <openssl/ssl.h>

#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

using SslContext = std::shared_ptr<SSL_CTX>;

/// What a listener shows to clients and how it looks at its server. Contexts are replaced as a
/// whole when certificates are reloaded; a TLS connection holds the one that it began with.
///
/// Thread-safe: ops reloads while relay threads take.
class TlsContexts {
  public:
    /// Throws StartupError when a file cannot be used.
    explicit TlsContexts(const Listener& listener);

    [[nodiscard]] bool has_certificate() const noexcept { return !files_.certificate.empty(); }

    /// The context for the client's leg; null when the listener has no certificate.
    [[nodiscard]] SslContext for_clients() const;
    /// The context for the server's leg.
    [[nodiscard]] SslContext for_server() const;

    /// Reads the certificate anew. Empty, or why the one in use stays.
    [[nodiscard]] std::string reload();

  private:
    TlsFiles files_;
    SslContext for_server_;
    mutable std::mutex mutex_;
    SslContext for_clients_;  // guarded by mutex_
};

}  // namespace isotap::proxy
