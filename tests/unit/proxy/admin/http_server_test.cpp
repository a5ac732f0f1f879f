#include "proxy/admin/http_server.hpp"

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {
namespace {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A server and its clients on one io_context, driven by the test.
class HttpServerTest : public testing::Test {
  protected:
    void serve(HttpServer::Bounds bounds = {}) {
        server_ = std::make_unique<HttpServer>(io_, Address{"127.0.0.1", 0}, pages_, bounds);
    }

    tcp::socket connect() {
        tcp::socket client(io_);
        client.connect({boost::asio::ip::make_address("127.0.0.1"), server_->address().port});
        return client;
    }

    /// Runs until the server has closed the connection; what it said before.
    std::string answer(tcp::socket& client) {
        std::string text;
        std::array<char, 1'024> chunk{};
        bool closed = false;
        std::function<void()> read = [&] {
            client.async_read_some(boost::asio::buffer(chunk),
                                   [&](const boost::system::error_code& error, std::size_t size) {
                                       text.append(chunk.data(), size);
                                       closed = static_cast<bool>(error);
                                       if (!closed) {
                                           read();
                                       }
                                   });
        };
        read();
        while (!closed && io_.run_one_for(10s) > 0) {
        }
        EXPECT_TRUE(closed);
        return text;
    }

    std::string ask(const std::string& request) {
        tcp::socket client = connect();
        boost::asio::write(client, boost::asio::buffer(request));
        return answer(client);
    }

    std::chrono::milliseconds making_takes_{0};
    Pages pages_{{.metrics =
                      [this] {
                          const auto made = std::chrono::steady_clock::now() + making_takes_;
                          while (std::chrono::steady_clock::now() < made) {
                          }
                          return std::string(300'000, '#');
                      },
                  .ready = [] { return true; }},
                 "token"};
    boost::asio::io_context io_;
    std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersAndCloses) {
    serve();
    const std::string text = ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(text, HasSubstr("\r\nConnection: close\r\n"));
    EXPECT_THAT(text, EndsWith("\r\n\r\nok\n"));
}

TEST_F(HttpServerTest, SendsALargePageWhole) {
    serve();
    const std::string text =
        ask("GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\n\r\n");
    EXPECT_THAT(text, HasSubstr("Content-Length: 300000\r\n"));
    EXPECT_THAT(text, EndsWith(std::string(300'000, '#')));
}

TEST_F(HttpServerTest, TakesItsOwnTimeForAnAnswer) {
    serve({.exchange = 100ms});
    making_takes_ = 150ms;
    EXPECT_THAT(ask("GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\n\r\n"),
                EndsWith(std::string(300'000, '#')));
}

TEST_F(HttpServerTest, SendsNoBodyToHead) {
    serve();
    const std::string text = ask("HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(text, HasSubstr("Content-Length: 3\r\n"));
    EXPECT_THAT(text, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, AsksForTheToken) {
    serve();
    const std::string text = ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 401 "));
    EXPECT_THAT(text, HasSubstr("WWW-Authenticate: Bearer\r\n"));
}

TEST_F(HttpServerTest, NamesTheMethodsThatThereAre) {
    serve();
    const std::string text =
        ask("POST /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 405 "));
    EXPECT_THAT(text, HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(HttpServerTest, RefusesWhatIsNoHttp) {
    serve();
    EXPECT_THAT(ask("\x16\x03\x01 a TLS hello\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
    EXPECT_THAT(ask("GET /healthz HTTP/9.9\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, BoundsHeaderAndBody) {
    serve();
    EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\nX: " + std::string(20'000, 'x')),
                StartsWith("HTTP/1.1 431 "));
    EXPECT_THAT(ask("POST /healthz HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"),
                StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, DropsAClientThatIsTooSlow) {
    serve({.exchange = 30ms});
    tcp::socket client = connect();
    boost::asio::write(client, boost::asio::buffer(std::string("GET /hea")));
    EXPECT_EQ(answer(client), "");
}

TEST_F(HttpServerTest, LetsOnlySoManyInAtOnce) {
    serve({.connections = 1, .exchange = 30ms});
    tcp::socket silent = connect();
    // The second one waits until the first has used up its time.
    EXPECT_THAT(ask("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
    EXPECT_EQ(answer(silent), "");
}

TEST_F(HttpServerTest, SaysThatItsAddressIsTaken) {
    serve();
    try {
        const HttpServer second(io_, server_->address(), pages_);
        FAIL() << "took a taken port";
    } catch (const StartupError& error) {
        EXPECT_EQ(error.exit_code(), 3);
        EXPECT_THAT(error.what(), HasSubstr("--admin"));
    }
}

}  // namespace
}  // namespace isotap::proxy
