#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "isotap/proxy/options.hpp"

#include "proxy/net/leg.hpp"

namespace isotap::proxy {

/// Connects one socket to one address, trying every endpoint that its name stands for. Used once.
///
/// The callback comes once, later, on the thread of the io_context, with the empty text when the
/// socket is connected, else with the reason. After `cancel` it does not come at all. The socket
/// and the dialler's owner must live until then.
class Dialler : public std::enable_shared_from_this<Dialler> {
  public:
    using Done = std::function<void(const std::string& failure)>;

    Dialler(boost::asio::io_context& io, Socket& socket, Done done)
        : socket_(socket), resolver_(io), done_(std::move(done)) {}

    void dial(const Address& address);
    void cancel();

  private:
    using Endpoint = boost::asio::generic::stream_protocol::endpoint;

    void resolve(const Address& address);
    void connect_next(const std::string& last_failure);
    void finish(const std::string& failure);

    Socket& socket_;
    boost::asio::ip::tcp::resolver resolver_;
    Done done_;  // empty once called or cancelled
    std::vector<Endpoint> endpoints_;
    std::size_t next_ = 0;
};

}  // namespace isotap::proxy
