#include "proxy/relay/acceptor.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

namespace {

using boost::asio::ip::tcp;
namespace local = boost::asio::local;

/// Clients accepted in a row before the sessions of the thread get their turn.
constexpr int accepts_per_turn = 64;

[[noreturn]] void cannot_listen(const Address& address, const std::string& why) {
    throw StartupError(StartupError::Kind::failure, "cannot listen on " + to_string(address) +
                                                        " (" + why + "): choose another address");
}

/// A socket file that nobody answers on is left over from a process that was killed.
bool is_left_over(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_socket(path, ignored)) {
        return false;
    }
    boost::asio::io_context io;
    local::stream_protocol::socket probe(io);
    boost::system::error_code error;
    probe.connect(local::stream_protocol::endpoint(path), error);
    return error == boost::asio::error::connection_refused;
}

}  // namespace

Acceptor::Acceptor(Poller& poller, const Address& address, Taker taker)
    : poller_(poller), address_(address), taker_(std::move(taker)) {
    try {
        if (address_.is_unix()) {
            bind_unix();
        } else {
            bind_tcp();
        }
    } catch (const boost::system::system_error& error) {
        cannot_listen(address_, error.code().message());
    }
}

Acceptor::~Acceptor() {
    if (!socket_file_.empty()) {
        std::error_code ignored;
        std::filesystem::remove(socket_file_, ignored);
    }
}

void Acceptor::bind_tcp() {
    boost::asio::io_context io;
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(address_.host, std::to_string(address_.port),
                                        tcp::resolver::passive | tcp::resolver::numeric_service);
    const Endpoint bound = listen_on(found.begin()->endpoint());
    tcp::endpoint endpoint;
    std::memcpy(endpoint.data(), bound.data(), bound.size());
    address_.port = endpoint.port();
}

void Acceptor::bind_unix() {
    if (is_left_over(address_.host)) {
        std::filesystem::remove(address_.host);
    }
    listen_on(local::stream_protocol::endpoint(address_.host));
    socket_file_ = address_.host;
}

Endpoint Acceptor::listen_on(const Endpoint& endpoint) {
    boost::asio::io_context io;
    boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol> acceptor(io);
    acceptor.open(endpoint.protocol());
    if (!address_.is_unix()) {
        acceptor.set_option(boost::asio::socket_base::reuse_address(true));
    }
    acceptor.bind(endpoint);
    acceptor.listen();
    acceptor.native_non_blocking(true);
    Endpoint bound = acceptor.local_endpoint();
    socket_ = Descriptor(acceptor.release());
    return bound;
}

void Acceptor::start() {
    poller_.watch(socket_.get(), *this);
}

void Acceptor::stop() {
    socket_.reset();
}

void Acceptor::on_ready(Ready /*ready*/) {
    for (int i = 0; i < accepts_per_turn && socket_; ++i) {
        Descriptor client(::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (client) {
            taker_(std::move(client));
        } else if (errno != ECONNABORTED && errno != EINTR) {
            return;  // nobody is left, or descriptors have run out: then the next tick tries again
        }
    }
    if (socket_) {
        // Owned by nobody but the relay, which outlives the poller's last turn.
        poller_.again({std::shared_ptr<void>(), this});
    }
}

void Acceptor::on_tick() {
    if (socket_) {
        on_ready({});
    }
}

}  // namespace isotap::proxy
