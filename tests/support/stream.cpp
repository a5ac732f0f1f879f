#include "tests/support/stream.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>

#include <openssl/err.h>
#include <openssl/ssl.h>

namespace isotap::test {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

Descriptor connect_to(const Endpoint& peer) {
    const bool local = !peer.unix_socket.empty();
    Descriptor made(socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int result = 0;
    if (local) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = peer.unix_socket.string();
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        result = connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    } else {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(peer.port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        result = connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
        const int on = 1;
        setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (result != 0) fail("connect");
    if (fcntl(made.get(), F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
    return made;
}

bool peer_is_gone(int error) {
    return error == ECONNRESET || error == EPIPE;
}

std::string tls_error() {
    std::string text(256, '\0');
    ERR_error_string_n(ERR_get_error(), text.data(), text.size());
    return "TLS: " + text.substr(0, text.find('\0'));
}

}  // namespace

Stream::Stream(const Endpoint& peer)
    : socket_(connect_to(peer)), context_(nullptr, SSL_CTX_free), tls_(nullptr, SSL_free) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

void Stream::shrink_receive_buffer() const {
    const int bytes = 1;
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void Stream::wait_for(short events, Clock::time_point deadline) const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd event{socket_.get(), events, 0};
    const int ready = left <= 0 ? 0 : poll(&event, 1, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) fail("poll");
    if (ready == 0) {
        throw TimeRanOut((events & POLLIN) != 0 ? "the peer sends nothing"
                                                : "the peer reads nothing");
    }
}

void Stream::send(Bytes bytes) {
    const Clock::time_point deadline = Clock::now() + patience_;
    while (!bytes.empty()) {
        if (tls_) {
            const int done = SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
            if (done <= 0 && was_reset_) return;
            if (done <= 0) after_tls_call(done, deadline);
            bytes = bytes.subspan(static_cast<std::size_t>(std::max(done, 0)));
            continue;
        }
        const ssize_t done = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (done >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(done));
        } else if (errno == EAGAIN) {
            wait_for(POLLOUT, deadline);
        } else if (peer_is_gone(errno)) {
            return;
        } else if (errno != EINTR) {
            fail("send");
        }
    }
}

std::size_t Stream::receive(MutableBytes into) {
    const Clock::time_point deadline = Clock::now() + patience_;
    for (;;) {
        if (tls_) {
            const int done = SSL_read(tls_.get(), into.data(), static_cast<int>(into.size()));
            if (done > 0) return static_cast<std::size_t>(done);
            if (SSL_get_error(tls_.get(), done) == SSL_ERROR_ZERO_RETURN || was_reset_) return 0;
            after_tls_call(done, deadline);
            if (was_reset_) return 0;
            continue;
        }
        const ssize_t done = recv(socket_.get(), into.data(), into.size(), 0);
        if (done >= 0) return static_cast<std::size_t>(done);
        if (peer_is_gone(errno)) {
            was_reset_ = true;
            return 0;
        }
        if (errno == EAGAIN) {
            wait_for(POLLIN, deadline);
        } else if (errno != EINTR) {
            fail("recv");
        }
    }
}

/// Waits for what the TLS library needs, notes an end without farewell, throws on the rest.
void Stream::after_tls_call(int result, Clock::time_point deadline) {
    switch (SSL_get_error(tls_.get(), result)) {
        case SSL_ERROR_WANT_READ: wait_for(POLLIN, deadline); return;
        case SSL_ERROR_WANT_WRITE: wait_for(POLLOUT, deadline); return;
        case SSL_ERROR_SYSCALL: was_reset_ = true; return;
        default: break;
    }
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        ERR_clear_error();
        was_reset_ = true;
        return;
    }
    throw std::runtime_error(tls_error());
}

void Stream::start_tls(const TlsWish& wish) {
    const Clock::time_point deadline = Clock::now() + patience_;
    ERR_clear_error();
    context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX_set_mode(context_.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_AUTO_RETRY);
    bool good = true;
    if (!wish.trust.empty()) {
        good = SSL_CTX_load_verify_locations(context_.get(), wish.trust.c_str(), nullptr) == 1;
        SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    }
    if (!wish.certificate.empty()) {
        good = good &&
               SSL_CTX_use_certificate_file(context_.get(), wish.certificate.c_str(),
                                            SSL_FILETYPE_PEM) == 1 &&
               SSL_CTX_use_PrivateKey_file(context_.get(), wish.key.c_str(), SSL_FILETYPE_PEM) == 1;
    }
    tls_.reset(SSL_new(context_.get()));
    if (!wish.alpn.empty()) {
        const std::string list = std::string(1, static_cast<char>(wish.alpn.size())) + wish.alpn;
        const Bytes wire = as_bytes(list);
        good = good && SSL_set_alpn_protos(tls_.get(), wire.data(),
                                           static_cast<unsigned>(wire.size())) == 0;
    }
    if (!good || SSL_set_fd(tls_.get(), socket_.get()) != 1) throw std::runtime_error(tls_error());
    // OpenSSL writes to a connection that the peer has ended as if that never happened.
    std::signal(SIGPIPE, SIG_IGN);
    SSL_set_tlsext_host_name(tls_.get(), "localhost");
    for (int done = SSL_connect(tls_.get()); done != 1; done = SSL_connect(tls_.get())) {
        after_tls_call(done, deadline);
        if (was_reset_) throw std::runtime_error("TLS: the peer ended the handshake");
    }
}

std::string Stream::agreed_alpn() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls_.get(), &name, &size);
    return std::string(as_text({name, size}));
}

std::string Stream::peer_certificate() const {
    X509* certificate = SSL_get0_peer_certificate(tls_.get());
    if (certificate == nullptr) return {};
    unsigned char* der = nullptr;
    const int size = i2d_X509(certificate, &der);
    std::string bytes(reinterpret_cast<char*>(der), static_cast<std::size_t>(std::max(size, 0)));
    OPENSSL_free(der);
    return bytes;
}

void Stream::end_sending() {
    if (tls_) SSL_shutdown(tls_.get());
    shutdown(socket_.get(), SHUT_WR);
}

void Stream::reset() {
    const linger at_once{1, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    tls_.reset();
    socket_.reset();
}

}  // namespace isotap::test
