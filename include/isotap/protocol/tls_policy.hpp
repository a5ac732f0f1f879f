#pragma once

#include <cstdint>
#include <vector>

namespace isotap::protocol {

/// What becomes of a client's wish for TLS. docs/decisions/0004 says why there are four.
enum class TlsPolicy : std::uint8_t {
    opaque,            ///< the request and all that follows pass unread: nothing is observed
    mirror,            ///< both legs do what client and server agree on; the proxy shows its own
                       ///< certificate
    same_certificate,  ///< as mirror, and the certificate must be the server's own, so that even
                       ///< what binds itself to the certificate passes
    terminate,         ///< each leg is decided for itself
};

/// What the proxy does on its own leg to the server when it does not mirror, as libpq names it.
enum class ServerTls : std::uint8_t { disable, prefer, require };

/// The TLS of a listener and its server.
struct TlsRules {
    TlsPolicy policy = TlsPolicy::opaque;
    bool certificate = false;              ///< the proxy has a certificate to show to clients
    ServerTls server = ServerTls::prefer;  ///< under `terminate` only
};

/// What is known of a leg once its TLS handshake is through.
struct TlsFacts {
    bool alpn = false;              ///< the dialect's own application protocol was agreed on
    bool same_certificate = false;  ///< server leg: the server showed the certificate that we show

    /// Client leg: the hash of our certificate that a client may bind its proof to
    /// (tls-server-end-point). Empty when its signature algorithm defines none.
    std::vector<std::uint8_t> certificate_hash{};
};

}  // namespace isotap::protocol
