#include "proxy/net/dialler.hpp"

#include <cerrno>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace isotap::proxy {

using boost::asio::ip::tcp;

namespace {

std::string message_of(int error) {
    return std::generic_category().message(error);
}

}  // namespace

void Dialler::dial(const Address& address) {
    boost::system::error_code not_numeric;
    const auto numeric = boost::asio::ip::make_address(address.host, not_numeric);
    if (address.is_unix()) {
        endpoints_.emplace_back(boost::asio::local::stream_protocol::endpoint(address.host));
    } else if (!not_numeric) {
        endpoints_.emplace_back(tcp::endpoint(numeric, address.port));
    } else {
        resolve(address);
        return;
    }
    connect_next({});
}

void Dialler::resolve(const Address& address) {
    names_.ask(
        address, poller_,
        [self = shared_from_this()](const std::string& failure, std::vector<Endpoint> found) {
            if (!failure.empty()) {
                self->finish(failure);
                return;
            }
            self->endpoints_ = std::move(found);
            self->connect_next("the name stands for no address");
        });
}

void Dialler::connect_next(std::string last_failure) {
    while (done_ && next_ < endpoints_.size()) {
        last_failure = connect(endpoints_[next_++]);
        if (last_failure.empty()) {
            return;
        }
    }
    poller_.post([self = shared_from_this(), last_failure] { self->finish(last_failure); });
}

std::string Dialler::connect(const Endpoint& endpoint) {
    socket_ = Descriptor(
        ::socket(endpoint.protocol().family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket_) {
        return message_of(errno);
    }
    if (::connect(socket_.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0 &&
        errno != EINPROGRESS) {
        return message_of(errno);
    }
    poller_.watch(socket_.get(), *this);
    return {};
}

/// A socket that is writable is connected, or has failed.
void Dialler::on_ready(Ready ready) {
    if (!done_ || !ready.writable) {
        return;
    }
    int error = 0;
    socklen_t length = sizeof error;
    if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        error = errno;
    }
    if (error == 0) {
        finish({});
    } else {
        connect_next(message_of(error));
    }
}

void Dialler::cancel() {
    done_ = nullptr;
    socket_.reset();
    poller_.keep(shared_from_this());
}

void Dialler::finish(const std::string& failure) {
    if (const Done done = std::exchange(done_, nullptr)) {
        poller_.keep(shared_from_this());
        done(failure.empty() ? std::move(socket_) : Descriptor(), failure);
    }
}

}  // namespace isotap::proxy
