#pragma once

#include <functional>
#include <string>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "isotap/proxy/options.hpp"

#include "proxy/net/leg.hpp"

namespace isotap::proxy {

/// Listens on one address and hands over who connects. Lives on the thread of its io_context.
class Acceptor {
  public:
    /// Where the next client's socket shall live, and who takes it.
    struct Taker {
        std::function<boost::asio::io_context&()> next_home;
        std::function<void(Socket)> take;
    };

    /// Binds and listens; throws StartupError when the address cannot be had.
    Acceptor(boost::asio::io_context& io, const Address& address, Taker taker);
    ~Acceptor();
    Acceptor(const Acceptor&) = delete;
    Acceptor& operator=(const Acceptor&) = delete;

    /// The address that was bound: port 0 has become a number.
    [[nodiscard]] const Address& address() const noexcept { return address_; }

    void start();
    void stop();

  private:
    using Protocol = boost::asio::generic::stream_protocol;

    void bind_tcp();
    void bind_unix();
    void accept();

    boost::asio::basic_socket_acceptor<Protocol> acceptor_;
    boost::asio::steady_timer pause_;
    Address address_;
    Taker taker_;
    std::string socket_file_;  ///< ours to remove; empty when none
};

}  // namespace isotap::proxy
