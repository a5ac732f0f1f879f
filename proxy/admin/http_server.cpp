#include "proxy/admin/http_server.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

/// One connection: a request, its answer, the end. It keeps itself alive by its pending operation.
class Exchange : public std::enable_shared_from_this<Exchange> {
  public:
    Exchange(tcp::socket socket, const Pages& pages, const HttpServer::Bounds& bounds,
             std::function<void()> on_closed)
        : stream_(std::move(socket)),
          buffer_(bounds.header_bytes + bounds.body_bytes),
          pages_(pages),
          bounds_(bounds),
          on_closed_(std::move(on_closed)),
          pause_(stream_.get_executor()) {
        parser_.header_limit(bounds.header_bytes);
        parser_.body_limit(bounds.body_bytes);
        stream_.expires_after(bounds.exchange);
    }

    void start() {
        http::async_read(stream_, buffer_, parser_,
                         [self = shared_from_this()](error_code error, std::size_t) {
                             self->on_request(error);
                         });
    }

  private:
    void on_request(error_code error) {
        if (!error) {
            return write(answer());
        }
        if (const auto status = status_of(error)) {
            return write({.status = static_cast<unsigned>(*status),
                          .body = "this is no request that is answered here\n",
                          .allow = {}});
        }
        on_closed_();
    }

    /// Nothing for a peer that went away or was too slow: there is nobody to answer.
    static std::optional<http::status> status_of(error_code error) {
        if (error == http::error::header_limit || error == http::error::buffer_overflow) {
            return http::status::request_header_fields_too_large;
        }
        if (error == http::error::body_limit) {
            return http::status::payload_too_large;
        }
        const bool malformed =
            error.category() == make_error_code(http::error::bad_method).category();
        const bool ended =
            error == http::error::end_of_stream || error == http::error::partial_message;
        return malformed && !ended ? std::optional(http::status::bad_request) : std::nullopt;
    }

    AdminAnswer answer() const {
        const auto& request = parser_.get();
        const auto text = [](const auto& view) {
            return std::string_view(view.data(), view.size());
        };
        head_ = request.method() == http::verb::head;
        error_code gone;
        const tcp::endpoint here = stream_.socket().local_endpoint(gone);
        return pages_.answer({.method = text(request.method_string()),
                              .target = text(request.target()),
                              .authorization = text(request[http::field::authorization]),
                              .host = text(request[http::field::host]),
                              .at_loopback = !gone && here.address().is_loopback()});
    }

    void write(AdminAnswer answer) {
        if (answer.feed && !head_) {
            feed_ = std::move(answer.feed);
        }
        response_.version(11);
        response_.result(answer.status);
        response_.set(http::field::content_type, view(answer.content_type));
        response_.set(http::field::cache_control, "no-store");
        response_.set("X-Content-Type-Options", "nosniff");
        if (!answer.allow.empty()) {
            response_.set(http::field::allow, view(answer.allow));
        }
        if (!answer.policy.empty()) {
            response_.set("Content-Security-Policy", view(answer.policy));
            response_.set("Referrer-Policy", "no-referrer");
        }
        if (answer.status == 401) {
            response_.set(http::field::www_authenticate, "Bearer");
        }
        response_.keep_alive(false);
        // The time that the answer took to be made was ours.
        stream_.expires_after(bounds_.exchange);
        if (feed_) {
            return begin_feed();
        }
        response_.content_length(answer.body.size());
        if (!head_) {
            response_.body() = std::move(answer.body);
        }
        http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
            error_code ignored;
            self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
            self->on_closed_();
        });
    }

    /// The head of the answer, then a piece each time there is news. Its end is the connection's.
    void begin_feed() {
        response_.body().clear();
        serializer_.emplace(response_);
        http::async_write_header(stream_, *serializer_,
                                 [self = shared_from_this()](error_code error, std::size_t) {
                                     error ? self->on_closed_() : self->feed();
                                 });
    }

    void feed() {
        piece_ = feed_();
        if (piece_.empty()) {
            return feed_later();
        }
        stream_.expires_after(bounds_.exchange);
        asio::async_write(stream_, asio::buffer(piece_),
                          [self = shared_from_this()](error_code error, std::size_t) {
                              error ? self->on_closed_() : self->feed_later();
                          });
    }

    void feed_later() {
        pause_.expires_after(bounds_.feed_interval);
        pause_.async_wait([self = shared_from_this()](error_code error) {
            error ? self->on_closed_() : self->feed();
        });
    }

    static beast::string_view view(std::string_view text) { return {text.data(), text.size()}; }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    http::request_parser<http::string_body> parser_;
    http::response<http::string_body> response_;
    std::optional<http::response_serializer<http::string_body>> serializer_;
    const Pages& pages_;
    HttpServer::Bounds bounds_;
    std::function<void()> on_closed_;
    std::function<std::string()> feed_;
    asio::steady_timer pause_;
    std::string piece_;
    mutable bool head_ = false;
};

tcp::endpoint resolve(asio::io_context& io, const Address& address) {
    // At start-up only: it may block.
    tcp::resolver resolver(io);
    return *resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive)
                .begin();
}

}  // namespace

HttpServer::HttpServer(asio::io_context& io, const Address& address, const Pages& pages,
                       Bounds bounds)
    : acceptor_(io), pause_(io), pages_(pages), bounds_(bounds) {
    try {
        const tcp::endpoint endpoint = resolve(io, address);
        acceptor_.open(endpoint.protocol());
        acceptor_.set_option(tcp::acceptor::reuse_address(true));
        acceptor_.bind(endpoint);
        acceptor_.listen();
    } catch (const boost::system::system_error& error) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("cannot serve the admin page on {} ({}): choose another "
                                       "address with --admin",
                                       to_string(address), error.code().message()));
    }
    accept();
}

Address HttpServer::address() const {
    const tcp::endpoint endpoint = acceptor_.local_endpoint();
    return {endpoint.address().to_string(), endpoint.port()};
}

void HttpServer::accept() {
    if (accepting_ || open_ >= bounds_.connections) {
        return;
    }
    accepting_ = true;
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
        accepting_ = false;
        if (error == asio::error::operation_aborted) {
            return;
        }
        if (error) {
            return accept_later();
        }
        ++open_;
        std::make_shared<Exchange>(std::move(socket), pages_, bounds_, [this] {
            on_closed();
        })->start();
        accept();
    });
}

/// Without a free descriptor, asking again at once would only burn the processor.
void HttpServer::accept_later() {
    pause_.expires_after(std::chrono::milliseconds(100));
    pause_.async_wait([this](error_code error) {
        if (!error) {
            accept();
        }
    });
}

void HttpServer::on_closed() {
    --open_;
    accept();
}

}  // namespace isotap::proxy
