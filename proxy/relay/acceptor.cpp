#include "proxy/relay/acceptor.hpp"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

namespace {

using boost::asio::ip::tcp;
namespace local = boost::asio::local;

/// When descriptors have run out, the next try waits until some session may have ended.
constexpr std::chrono::milliseconds pause_after_failure{100};

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

Acceptor::Acceptor(boost::asio::io_context& io, const Address& address, Taker taker)
    : acceptor_(io), pause_(io), address_(address), taker_(std::move(taker)) {
    try {
        if (address_.is_unix()) {
            bind_unix();
        } else {
            bind_tcp();
        }
        acceptor_.listen();
        acceptor_.non_blocking(true);
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
    tcp::resolver resolver(acceptor_.get_executor());
    const auto found = resolver.resolve(address_.host, std::to_string(address_.port),
                                        tcp::resolver::passive | tcp::resolver::numeric_service);
    const tcp::endpoint endpoint = *found.begin();
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(boost::asio::socket_base::reuse_address(true));
    acceptor_.bind(endpoint);
    tcp::endpoint bound;
    const auto generic = acceptor_.local_endpoint();
    std::memcpy(bound.data(), generic.data(), generic.size());
    address_.port = bound.port();
}

void Acceptor::bind_unix() {
    if (is_left_over(address_.host)) {
        std::filesystem::remove(address_.host);
    }
    const local::stream_protocol::endpoint endpoint(address_.host);
    acceptor_.open(endpoint.protocol());
    acceptor_.bind(endpoint);
    socket_file_ = address_.host;
}

void Acceptor::start() {
    accept();
}

void Acceptor::stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
}

void Acceptor::accept() {
    acceptor_.async_accept(
        taker_.next_home(), [this](const boost::system::error_code& error, Socket client) {
            if (!acceptor_.is_open()) {
                return;
            }
            if (!error) {
                taker_.take(std::move(client));
                accept();
                return;
            }
            pause_.expires_after(pause_after_failure);
            pause_.async_wait([this](const boost::system::error_code& cancelled) {
                if (!cancelled && acceptor_.is_open()) {
                    accept();
                }
            });
        });
}

}  // namespace isotap::proxy
