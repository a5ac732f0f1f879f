#include "proxy/net/tls_context.hpp"

#include <array>

#include <boost/system/result.hpp>
#include <openssl/err.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

namespace {

/// ALPN's form of the name that PostgreSQL has registered: its length, then its letters.
constexpr std::array<unsigned char, 11> alpn_postgresql{10,  'p', 'o', 's', 't', 'g',
                                                        'r', 'e', 's', 'q', 'l'};

std::string last_error() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    std::array<char, 256> text{};
    ERR_error_string_n(code, text.data(), text.size());
    return text.data();
}

SslContext make_context(const SSL_METHOD* method) {
    SslContext context(SSL_CTX_new(method), SSL_CTX_free);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    // An idle session must not hold the buffers of its last record.
    SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                        SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    return context;
}

/// A client that offers protocols by name and not ours gets no answer, as from the server itself.
int select_protocol(SSL* /*ssl*/, const unsigned char** chosen, unsigned char* chosen_size,
                    const unsigned char* offered, unsigned int offered_size, void* /*unused*/) {
    unsigned char* found = nullptr;
    const int result = SSL_select_next_proto(&found, chosen_size, alpn_postgresql.data(),
                                             alpn_postgresql.size(), offered, offered_size);
    *chosen = found;
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

boost::system::result<SslContext, std::string> client_leg(const TlsFiles& files) {
    SslContext context = make_context(TLS_server_method());
    if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
        return "the certificate " + files.certificate + " cannot be used (" + last_error() + ")";
    }
    if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
        return "the key " + files.key + " cannot be used (" + last_error() + ")";
    }
    if (SSL_CTX_check_private_key(context.get()) != 1) {
        return "the key " + files.key + " does not belong to the certificate " + files.certificate;
    }
    // Sessions are never resumed: the server does not either, and tickets would outlive a reload.
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
    SSL_CTX_set_alpn_select_cb(context.get(), select_protocol, nullptr);
    return context;
}

SslContext server_leg(const Upstream& upstream) {
    SslContext context = make_context(TLS_client_method());
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    if (upstream.dialect == history::Dialect::postgres) {
        SSL_CTX_set_alpn_protos(context.get(), alpn_postgresql.data(), alpn_postgresql.size());
    }
    if (!upstream.verify_certificate) {
        return context;
    }
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    const bool roots =
        upstream.root_certificate.empty()
            ? SSL_CTX_set_default_verify_paths(context.get()) == 1
            : SSL_CTX_load_verify_file(context.get(), upstream.root_certificate.c_str()) == 1;
    if (!roots) {
        throw StartupError(StartupError::Kind::usage,
                           "the root certificate " + upstream.root_certificate +
                               " cannot be used (" + last_error() + "): check sslrootcert");
    }
    return context;
}

}  // namespace

TlsContexts::TlsContexts(const Listener& listener)
    : files_(listener.files), for_server_(server_leg(listener.upstream)) {
    if (!has_certificate()) {
        return;
    }
    auto context = client_leg(files_);
    if (!context) {
        throw StartupError(StartupError::Kind::usage,
                           context.error() + ": check tls-certificate and tls-key");
    }
    for_clients_ = *context;
}

SslContext TlsContexts::for_clients() const {
    const std::lock_guard lock(mutex_);
    return for_clients_;
}

SslContext TlsContexts::for_server() const {
    return for_server_;
}

std::string TlsContexts::reload() {
    if (!has_certificate()) {
        return {};
    }
    auto context = client_leg(files_);
    if (!context) {
        return context.error();
    }
    const std::lock_guard lock(mutex_);
    for_clients_ = *context;
    return {};
}

}  // namespace isotap::proxy
