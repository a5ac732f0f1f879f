#include "proxy/tap/http_post.hpp"

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/certificates.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Shakes hands with one client, and takes what it posts if there was an agreement.
class TlsReceiver {
  public:
    explicit TlsReceiver(const test::Certificate& shown) {
        context_.use_certificate_chain_file(shown.certificate.string());
        context_.use_private_key_file(shown.key.string(), asio::ssl::context::pem);
        thread_ = std::thread([this] { serve(); });
    }
    ~TlsReceiver() { join(); }
    TlsReceiver(const TlsReceiver&) = delete;
    TlsReceiver& operator=(const TlsReceiver&) = delete;

    [[nodiscard]] std::string url(const std::string& host) const {
        return "https://" + host + ":" + std::to_string(acceptor_.local_endpoint().port()) +
               "/hook?a=1";
    }
    /// What came, once the client has gone.
    const std::string& request() {
        join();
        return request_;
    }

  private:
    void join() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    void serve() {
        asio::ssl::stream<tcp::socket> client(io_, context_);
        boost::system::error_code error;
        acceptor_.accept(client.lowest_layer(), error);
        client.handshake(asio::ssl::stream_base::server, error);
        if (error) {
            return;
        }
        asio::streambuf buffer;
        asio::read_until(client, buffer, "{}", error);
        request_.assign(asio::buffers_begin(buffer.data()), asio::buffers_end(buffer.data()));
        asio::write(client, asio::buffer("HTTP/1.1 204 x\r\nContent-Length: 0\r\n\r\n", 41), error);
    }

    asio::io_context io_;
    asio::ssl::context context_{asio::ssl::context::tls_server};
    tcp::acceptor acceptor_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
    std::string request_;
    std::thread thread_;
};

class HttpsPost : public ::testing::Test {
  protected:
    ~HttpsPost() override { unsetenv("SSL_CERT_FILE"); }
    void trust(const test::CertificateAuthority& authority) {
        setenv("SSL_CERT_FILE", authority.root().c_str(), 1);
    }

    test::TemporaryFolder folder_;
    test::CertificateAuthority authority_{folder_.path() / "ours"};
};

TEST_F(HttpsPost, GoesToWhomTheSystemTrusts) {
    trust(authority_);
    for (const char* host : {"localhost", "127.0.0.1"}) {
        TlsReceiver receiver(authority_.issue("localhost"));
        EXPECT_EQ(http_post(receiver.url(host), "{}", 10s), "");
        EXPECT_THAT(receiver.request(), StartsWith("POST /hook?a=1 HTTP/1.1"));
    }
}

TEST_F(HttpsPost, DoesNotGoToWhomNobodySignedFor) {
    const test::CertificateAuthority other(folder_.path() / "others");
    trust(other);
    TlsReceiver receiver(authority_.issue("localhost"));
    EXPECT_THAT(http_post(receiver.url("localhost"), "{}", 10s), HasSubstr("certificate"));
    EXPECT_EQ(receiver.request(), "");
}

TEST_F(HttpsPost, DoesNotGoToSomebodyElse) {
    trust(authority_);
    TlsReceiver receiver(authority_.self_signed());  // trusted, and of another name
    EXPECT_THAT(http_post(receiver.url("localhost"), "{}", 10s), HasSubstr("certificate"));
    EXPECT_EQ(receiver.request(), "");
}

TEST(HttpPost, SaysWhyItFailed) {
    EXPECT_NE(http_post("http://127.0.0.1:1/", "{}", 5s), "");
    EXPECT_NE(http_post("https://127.0.0.1:1/", "{}", 5s), "");
    EXPECT_NE(http_post("http://", "{}", 5s), "");
    EXPECT_NE(http_post("http://[::1]:99999/x", "{}", 5s), "");
}

}  // namespace
}  // namespace isotap::proxy
