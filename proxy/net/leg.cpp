#include "proxy/net/leg.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace isotap::proxy {

void Leg::prepare() {
    boost::system::error_code ignored;
    socket_.non_blocking(true, ignored);
    // Refused by unix sockets, which have nothing to delay.
    socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    socket_.set_option(boost::asio::socket_base::keep_alive(true), ignored);
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
        boost::system::error_code ignored;
        socket_.shutdown(Socket::shutdown_send, ignored);
    }
}

void Leg::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

/// How much the socket took: less than all when it would block. Nothing more will be taken once the
/// peer is gone; what is queued for it is dropped then.
std::size_t Leg::write_some(Bytes bytes) {
    if (bytes.empty()) {
        return 0;
    }
    boost::system::error_code error;
    const std::size_t written =
        socket_.write_some(boost::asio::buffer(bytes.data(), bytes.size()), error);
    if (error && error != boost::asio::error::would_block &&
        error != boost::asio::error::interrupted) {
        broken_ = true;
        queue_ = {};
        sent_ = 0;
    }
    return written;
}

}  // namespace isotap::proxy
