#include "proxy/tap/http_post.hpp"

#include <string_view>
#include <type_traits>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

namespace isotap::proxy {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<beast::tcp_stream>;

constexpr std::size_t answer_max = std::size_t{64} * 1024;

struct Target {
    bool tls = false;
    std::string authority;  ///< host and port as the URL has them
    std::string host;
    std::string port;
    std::string path = "/";
};

Target target_of(std::string_view url) {
    constexpr std::string_view scheme_end = "://";
    Target target;
    target.tls = url.starts_with("https");
    target.port = target.tls ? "443" : "80";
    url.remove_prefix(std::min(url.size(), url.find(scheme_end) + scheme_end.size()));
    const std::size_t slash = url.find('/');
    if (slash != std::string_view::npos) {
        target.path = url.substr(slash);
    }
    std::string_view authority = url.substr(0, slash);
    target.authority = authority;
    const std::size_t colon = authority.rfind(':');
    const std::size_t bracket = authority.find(']');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        target.port = authority.substr(colon + 1);
        authority = authority.substr(0, colon);
    }
    if (authority.starts_with('[') && authority.ends_with(']')) {
        authority = authority.substr(1, authority.size() - 2);
    }
    target.host = authority;
    return target;
}

/// One request over one stream, from the name of the host to the answer.
template <typename Stream>
class Post {
  public:
    Post(asio::io_context& io, Stream& stream, const Target& target, const std::string& body)
        : io_(io), stream_(stream), target_(target) {
        request_.method(http::verb::post);
        request_.target({target.path.data(), target.path.size()});
        request_.version(11);
        request_.set(http::field::host, {target.authority.data(), target.authority.size()});
        request_.set(http::field::content_type, "application/json");
        request_.set(http::field::user_agent, "isotap");
        request_.keep_alive(false);
        request_.body() = body;
        request_.prepare_payload();
        parser_.body_limit(answer_max);
    }

    std::string run(std::chrono::milliseconds patience) {
        resolver_.async_resolve(target_.host, target_.port,
                                [this](error_code error, const tcp::resolver::results_type& found) {
                                    error ? fail(error) : connect(found);
                                });
        io_.run_for(patience);
        return done_ ? failure_ : "no answer in time";
    }

  private:
    void connect(const tcp::resolver::results_type& found) {
        beast::get_lowest_layer(stream_).async_connect(
            found, [this](error_code error, const tcp::endpoint&) {
                error ? fail(error) : shake_hands();
            });
    }
    void shake_hands() {
        if constexpr (std::is_same_v<Stream, TlsStream>) {
            stream_.async_handshake(asio::ssl::stream_base::client,
                                    [this](error_code error) { error ? fail(error) : write(); });
        } else {
            write();
        }
    }
    void write() {
        http::async_write(stream_, request_,
                          [this](error_code error, std::size_t) { error ? fail(error) : read(); });
    }
    void read() {
        http::async_read(stream_, buffer_, parser_, [this](error_code error, std::size_t) {
            if (error) {
                return fail(error);
            }
            done_ = true;
            const unsigned status = parser_.get().result_int();
            failure_ = status / 100 == 2 ? "" : fmt::format("the answer was {}", status);
        });
    }
    void fail(error_code error) {
        done_ = true;
        failure_ = error.message();
    }

    asio::io_context& io_;
    Stream& stream_;
    const Target& target_;
    tcp::resolver resolver_{io_};
    beast::flat_buffer buffer_;
    http::request<http::string_body> request_;
    http::response_parser<http::string_body> parser_;
    bool done_ = false;
    std::string failure_;
};

/// The peer must show a certificate of that name.
void verify(TlsStream& stream, const std::string& host) {
    stream.set_verify_mode(asio::ssl::verify_peer);
    stream.set_verify_callback(asio::ssl::host_name_verification(host));
    error_code is_name;
    asio::ip::make_address(host, is_name);
    if (is_name) {
        SSL_set_tlsext_host_name(stream.native_handle(), host.c_str());
    }
}

}  // namespace

std::string http_post(const std::string& url, const std::string& body,
                      std::chrono::milliseconds patience, const std::string& authorities) noexcept
    try {
    const Target target = target_of(url);
    asio::io_context io{1};
    if (!target.tls) {
        beast::tcp_stream stream(io);
        return Post(io, stream, target, body).run(patience);
    }
    asio::ssl::context trust(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(trust.native_handle(), TLS1_2_VERSION);
    if (authorities.empty()) {
        trust.set_default_verify_paths();
    } else {
        trust.load_verify_file(authorities);
    }
    TlsStream stream(io, trust);
    verify(stream, target.host);
    return Post(io, stream, target, body).run(patience);
} catch (const std::exception& error) {
    return error.what();
}

}  // namespace isotap::proxy
