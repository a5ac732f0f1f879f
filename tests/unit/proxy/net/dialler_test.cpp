#include "proxy/net/dialler.hpp"

#include <optional>
#include <string>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace isotap::proxy {
namespace {

using boost::asio::ip::tcp;

class DiallerTest : public testing::Test {
  protected:
    /// Why the address could not be reached; empty when it could.
    std::string dial(const Address& address) {
        std::optional<std::string> outcome;
        const auto dialler = std::make_shared<Dialler>(
            poller_, names_, [&outcome](const Descriptor& socket, const std::string& failure) {
                EXPECT_EQ(static_cast<bool>(socket), failure.empty());
                outcome = failure;
            });
        dialler->dial(address);
        EXPECT_FALSE(outcome) << "never at once";
        while (!outcome) {
            poller_.run_one();
        }
        return *outcome;
    }

    boost::asio::io_context io_;
    Poller poller_;
    NameLookup names_;
};

TEST_F(DiallerTest, ReachesNumbersAndNames) {
    tcp::acceptor acceptor(io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    const std::uint16_t port = acceptor.local_endpoint().port();
    EXPECT_EQ(dial({"127.0.0.1", port}), "");
    EXPECT_EQ(dial({"localhost", port}), "") << "whatever address of the name answers";
}

TEST_F(DiallerTest, ReachesAVersion6Address) {
    tcp::acceptor acceptor(io_, tcp::endpoint(boost::asio::ip::address_v6::loopback(), 0));
    EXPECT_EQ(dial({"::1", acceptor.local_endpoint().port()}), "");
}

TEST_F(DiallerTest, ReachesAUnixSocket) {
    const test::TemporaryFolder folder;
    const std::string path = (folder.path() / "socket").string();
    boost::asio::local::stream_protocol::acceptor acceptor(
        io_, boost::asio::local::stream_protocol::endpoint(path));
    EXPECT_EQ(dial({path, 0}), "");
    EXPECT_EQ(dial({path + "-none", 0}), "No such file or directory");
}

TEST_F(DiallerTest, SaysWhyNobodyAnswers) {
    tcp::acceptor acceptor(io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    const std::uint16_t port = acceptor.local_endpoint().port();
    acceptor.close();
    EXPECT_EQ(dial({"127.0.0.1", port}), "Connection refused");
    EXPECT_NE(dial({"no-such-host.invalid", port}), "");
}

TEST_F(DiallerTest, CallsNobodyOnceCancelled) {
    bool called = false;
    const auto dialler = std::make_shared<Dialler>(
        poller_, names_,
        [&called](const Descriptor& /*socket*/, const std::string& /*failure*/) { called = true; });
    dialler->dial({"127.0.0.1", 1});
    dialler->cancel();
    bool posted = false;
    poller_.post([&posted] { posted = true; });
    while (!posted) {
        poller_.run_one();
    }
    EXPECT_FALSE(called);
}

}  // namespace
}  // namespace isotap::proxy
