#include "proxy/net/leg.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace isotap::proxy {

namespace {

bool would_block(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

void Leg::open(Descriptor socket) {
    socket_ = std::move(socket);
    const int on = 1;
    // Refused by unix sockets, which have nothing to delay.
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(socket_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

Received Leg::receive(MutableBytes into) noexcept {
    const ssize_t size = ::recv(socket_.get(), into.data(), into.size(), 0);
    if (size > 0) {
        return {Received::State::some, static_cast<std::size_t>(size)};
    }
    if (size == 0) {
        return {Received::State::ended, 0};
    }
    return {would_block(errno) ? Received::State::none : Received::State::failed, 0};
}

void Leg::send(Bytes plaintext) {
    if (broken_ || end_wanted_) {
        return;
    }
    if (!tls_) {
        send_raw(plaintext);
        return;
    }
    if (!tls_->write(plaintext)) {
        broken_ = true;
    }
    send_tls_output();
}

void Leg::send_tls_output() {
    send_raw(tls_->output());
    tls_->sent();
}

void Leg::send_raw(Bytes bytes) {
    if (queued() == 0) {
        bytes = bytes.subspan(write_some(bytes));
    }
    if (!broken_) {
        queue_.insert(queue_.end(), bytes.begin(), bytes.end());
    }
}

void Leg::flush() {
    while (queued() > 0) {
        const std::size_t written = write_some(Bytes(queue_).subspan(sent_));
        if (written == 0) {
            return;
        }
        sent_ += written;
    }
    queue_ = {};
    sent_ = 0;
    end_if_flushed();
}

void Leg::end() {
    if (end_wanted_) {
        return;
    }
    if (tls_ && !broken_) {
        tls_->close();
        send_tls_output();
    }
    end_wanted_ = true;
    end_if_flushed();
}

void Leg::end_if_flushed() {
    if (end_wanted_ && queued() == 0) {
        ::shutdown(socket_.get(), SHUT_WR);
    }
}

void Leg::close() {
    socket_.reset();
}

/// How much the socket took: less than all when it would block. Nothing more will be taken once the
/// peer is gone; what is queued for it is dropped then.
std::size_t Leg::write_some(Bytes bytes) {
    if (bytes.empty()) {
        return 0;
    }
    const ssize_t written = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written >= 0) {
        return static_cast<std::size_t>(written);
    }
    if (!would_block(errno)) {
        broken_ = true;
        queue_ = {};
        sent_ = 0;
    }
    return 0;
}

}  // namespace isotap::proxy
