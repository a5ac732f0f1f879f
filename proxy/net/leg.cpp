#include "proxy/net/leg.hpp"

#include <algorithm>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace isotap::proxy {

namespace {

/// So much is copied to be sent together with what others send in this turn.
constexpr std::size_t copied_at_most = 4096;

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

void Leg::watch(Poller& poller, Watcher& watcher) {
    watcher_ = &watcher;
    ring_ = poller.ring();
    if (ring_ == nullptr) {
        poller.watch(socket_.get(), watcher);
        return;
    }
    poller.forget(socket_.get());
    // The ring waits for sockets that block only.
    int off = 0;
    ioctl(socket_.get(), FIONBIO, &off);
}

void Leg::on_ready(Ready ready) {
    if (ring_ != nullptr) {
        return;  // what it told is known
    }
    readable_ |= ready.readable;
    ending_ |= ready.ended;
    if (ready.writable && queued() > 0) {
        flush();
    }
}

Received Leg::receive(MutableBytes scratch) {
    if (arrived_) {
        return take_arrived();
    }
    if (readable_) {
        return read(scratch);
    }
    if (ring_ != nullptr && receiving_ == nullptr) {
        receiving_ = &ring_->receive(socket_.get(), *this);
    }
    return {};
}

Received Leg::take_arrived() {
    const Arrived arrived = *std::exchange(arrived_, std::nullopt);
    if (arrived.result > 0) {
        return {Received::State::some,
                ring_->take(*arrived.buffer, static_cast<std::size_t>(arrived.result))};
    }
    return {arrived.result == 0 ? Received::State::ended : Received::State::failed, {}};
}

Received Leg::read(MutableBytes scratch) {
    const ssize_t size = ::recv(socket_.get(), scratch.data(), scratch.size(), MSG_DONTWAIT);
    if (size > 0) {
        const Bytes bytes = Bytes(scratch).first(static_cast<std::size_t>(size));
        // Less than there is room for was all there is; more will be told of, but for an end that
        // was told of already.
        readable_ = bytes.size() == scratch.size() || ending_;
        return {Received::State::some, bytes};
    }
    if (size == 0) {
        return {Received::State::ended, {}};
    }
    if (!would_block(errno)) {
        return {Received::State::failed, {}};
    }
    readable_ = false;
    return receive(scratch);
}

void Leg::on_done(Ring::Operation& operation, int result) {
    if (&operation == sending_) {
        on_sent(result);
        watcher_->on_ready({false, true, false});
        return;
    }
    receiving_ = nullptr;
    if (result == -ENOBUFS || would_block(-result)) {
        readable_ = true;  // there is something, but no room for it in the ring's memory
    } else {
        arrived_ = Arrived{result, operation.buffer};
    }
    watcher_->on_ready({true, false, false});
}

void Leg::on_sent(int result) {
    if (result < 0 && !would_block(-result)) {
        sending_ = nullptr;
        break_off();
        return;
    }
    sending_->sent += static_cast<std::size_t>(std::max(result, 0));
    if (sending_->sent == sending_->bytes.size()) {
        sending_->bytes.clear();
        sending_->sent = 0;
        sending_->bytes.swap(queue_);
    }
    if (sending_->bytes.empty()) {
        sending_ = nullptr;
        end_if_flushed();
    } else {
        ring_->again(*sending_);
    }
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
    if (broken_ || bytes.empty()) {
        return;
    }
    if (sending_ != nullptr) {
        std::vector<std::uint8_t>& behind = sending_->submitted ? queue_ : sending_->bytes;
        behind.insert(behind.end(), bytes.begin(), bytes.end());
        return;
    }
    // Many bytes are not worth a copy.
    const bool copied = ring_ != nullptr && bytes.size() <= copied_at_most;
    if (queued() == 0 && !copied) {
        bytes = bytes.subspan(write_some(bytes));
    }
    if (broken_ || bytes.empty()) {
        return;
    }
    if (ring_ != nullptr) {
        sending_ = &ring_->send(socket_.get(), *this, bytes);
    } else {
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
    if (receiving_ != nullptr) {
        ring_->abandon(*std::exchange(receiving_, nullptr));
    }
    if (arrived_ && arrived_->buffer) {
        ring_->take(*arrived_->buffer, 0);
    }
    arrived_.reset();
    if (sending_ != nullptr) {
        if (!sending_->submitted) {
            write_some(Bytes(sending_->bytes).subspan(sending_->sent));
        }
        ring_->abandon(*std::exchange(sending_, nullptr));
    }
    socket_.reset();
}

/// How much the socket took: less than all when it would block. Nothing more will be taken once the
/// peer is gone; what is queued for it is dropped then.
std::size_t Leg::write_some(Bytes bytes) {
    if (bytes.empty()) {
        return 0;
    }
    const ssize_t written =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written >= 0) {
        return static_cast<std::size_t>(written);
    }
    if (!would_block(errno)) {
        break_off();
    }
    return 0;
}

void Leg::break_off() {
    broken_ = true;
    queue_ = {};
    sent_ = 0;
}

}  // namespace isotap::proxy
