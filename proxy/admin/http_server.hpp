#pragma once

#include <chrono>
#include <cstddef>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "isotap/proxy/options.hpp"

#include "proxy/admin/pages.hpp"

namespace isotap::proxy {

/// Serves pages over HTTP/1.1 on the ops thread, one request a connection. An answer without an end
/// goes on until its reader leaves, or does not read for the time of an exchange.
///
/// Whoever connects may send anything: header and body are bounded, a request and its answer have a
/// deadline, and only so many connections are there at once; one more waits in the kernel's queue.
class HttpServer {
  public:
    struct Bounds {
        std::uint32_t header_bytes = 8 * 1024;
        std::uint64_t body_bytes = 1024;
        std::size_t connections = 32;
        std::chrono::milliseconds exchange{5'000};     ///< from accept to the last byte
        std::chrono::milliseconds feed_interval{200};  ///< between two looks at what is new
    };

    /// Binds and listens; throws StartupError (failure). `pages` must outlive the io_context's run.
    HttpServer(boost::asio::io_context& io, const Address& address, const Pages& pages,
               Bounds bounds);
    HttpServer(boost::asio::io_context& io, const Address& address, const Pages& pages)
        : HttpServer(io, address, pages, Bounds{}) {}
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer() = default;

    /// Where it really listens.
    [[nodiscard]] Address address() const;

  private:
    void accept();
    void accept_later();
    void on_closed();

    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    const Pages& pages_;
    Bounds bounds_;
    std::size_t open_ = 0;
    bool accepting_ = false;
};

}  // namespace isotap::proxy
