#include "proxy/net/tls_engine.hpp"

#include <algorithm>
#include <array>
#include <new>

#include <boost/asio/ip/address.hpp>
#include <climits>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

namespace isotap::proxy {

TlsEngine::TlsEngine(const SslContext& context)
    : ssl_(SSL_new(context.get())),
      incoming_(BIO_new(BIO_s_mem())),
      outgoing_(BIO_new(BIO_s_mem())) {
    if (!ssl_ || incoming_ == nullptr || outgoing_ == nullptr) {
        throw std::bad_alloc();
    }
    BIO_set_mem_eof_return(incoming_, -1);
    SSL_set_bio(ssl_.get(), incoming_, outgoing_);
    SSL_set_accept_state(ssl_.get());
}

TlsEngine::TlsEngine(const SslContext& context, const std::string& host, bool verify_name)
    : TlsEngine(context) {
    SSL_set_connect_state(ssl_.get());
    boost::system::error_code not_numeric;
    boost::asio::ip::make_address(host, not_numeric);
    if (not_numeric) {
        SSL_set_tlsext_host_name(ssl_.get(), host.c_str());
    }
    if (verify_name && not_numeric) {
        SSL_set1_host(ssl_.get(), host.c_str());
    } else if (verify_name) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str());
    }
}

void TlsEngine::feed(Bytes ciphertext) {
    BIO_write(incoming_, ciphertext.data(), static_cast<int>(ciphertext.size()));
}

TlsEngine::Status TlsEngine::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) {
        established_ = true;
        return Status::ok;
    }
    return status_of(result);
}

TlsEngine::Status TlsEngine::read(MutableBytes into, std::size_t& size) {
    ERR_clear_error();
    const int wanted = static_cast<int>(std::min<std::size_t>(into.size(), INT_MAX));
    const int result = SSL_read(ssl_.get(), into.data(), wanted);
    size = result > 0 ? static_cast<std::size_t>(result) : 0;
    return result > 0 ? Status::ok : status_of(result);
}

bool TlsEngine::write(Bytes plaintext) {
    ERR_clear_error();
    while (!plaintext.empty()) {
        std::size_t written = 0;
        if (SSL_write_ex(ssl_.get(), plaintext.data(), plaintext.size(), &written) != 1) {
            return false;
        }
        plaintext = plaintext.subspan(written);
    }
    return true;
}

void TlsEngine::close() {
    ERR_clear_error();
    if (established_) {
        SSL_shutdown(ssl_.get());
    }
}

Bytes TlsEngine::output() const noexcept {
    char* data = nullptr;
    const long size = BIO_get_mem_data(outgoing_, &data);
    return {reinterpret_cast<const std::uint8_t*>(data),
            size > 0 ? static_cast<std::size_t>(size) : 0};
}

void TlsEngine::sent() noexcept {
    BIO_reset(outgoing_);
}

bool TlsEngine::peer_shows_certificate_of(const SslContext& own) const {
    if (!own) {
        return false;
    }
    const std::unique_ptr<X509, decltype(&X509_free)> peer(SSL_get1_peer_certificate(ssl_.get()),
                                                           X509_free);
    const X509* const ours = SSL_CTX_get0_certificate(own.get());
    return peer && ours != nullptr && X509_cmp(peer.get(), ours) == 0;
}

bool TlsEngine::alpn_agreed() const noexcept {
    const unsigned char* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    return size > 0;
}

std::vector<std::uint8_t> TlsEngine::certificate_hash() const {
    X509* const certificate = SSL_get_certificate(ssl_.get());
    int algorithm = NID_undef;
    if (certificate == nullptr ||
        X509_get_signature_info(certificate, &algorithm, nullptr, nullptr, nullptr) != 1) {
        return {};
    }
    // MD5 and SHA-1 are not to be relied on: the standard puts SHA-256 in their place.
    const bool weak = algorithm == NID_md5 || algorithm == NID_sha1;
    const EVP_MD* const digest = weak ? EVP_sha256() : EVP_get_digestbynid(algorithm);
    std::vector<std::uint8_t> hash(EVP_MAX_MD_SIZE);
    unsigned int size = 0;
    if (digest == nullptr || X509_digest(certificate, digest, hash.data(), &size) != 1) {
        return {};
    }
    hash.resize(size);
    return hash;
}

std::string TlsEngine::failure() const {
    const long verification = SSL_get_verify_result(ssl_.get());
    if (verification != X509_V_OK) {
        return X509_verify_cert_error_string(verification);
    }
    return failure_.empty() ? "the peer closed the connection" : failure_;
}

TlsEngine::Status TlsEngine::status_of(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ: return Status::wants_input;
        case SSL_ERROR_ZERO_RETURN: return Status::closed;
        default: break;
    }
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_peek_error(), text.data(), text.size());
    failure_ = text.data();
    ERR_clear_error();
    return Status::failed;
}

}  // namespace isotap::proxy
