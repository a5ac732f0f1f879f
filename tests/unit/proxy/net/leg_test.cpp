#include "proxy/net/leg.hpp"

#include <algorithm>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using boost::asio::ip::tcp;

/// A leg and the peer at the other end of it.
struct Pair {
    Pair() : peer(io) {
        tcp::acceptor acceptor(io, tcp::endpoint(tcp::v4(), 0));
        tcp::socket ours(io);
        ours.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(),
                                   acceptor.local_endpoint().port()));
        peer = acceptor.accept();
        ours.non_blocking(true);
        leg = std::make_unique<Leg>();
        leg->open(Descriptor(ours.release()));
    }

    std::string read(std::size_t size) {
        std::string bytes(size, '\0');
        boost::asio::read(peer, boost::asio::buffer(bytes));
        return bytes;
    }

    boost::asio::io_context io;
    tcp::socket peer;
    std::unique_ptr<Leg> leg;
};

TEST(Leg, SendsSmallSegmentsAtOnce) {
    const Pair pair;
    int option = 0;
    socklen_t length = sizeof option;
    getsockopt(pair.leg->descriptor(), IPPROTO_TCP, TCP_NODELAY, &option, &length);
    EXPECT_NE(option, 0) << "X-09";
}

TEST(Leg, TellsBytesFromTheirAbsenceAndFromTheEnd) {
    Pair pair;
    std::vector<std::uint8_t> buffer(16);
    EXPECT_EQ(pair.leg->receive(buffer).state, Received::State::none);
    boost::asio::write(pair.peer, boost::asio::buffer("bytes", 5));
    const Received received = pair.leg->receive(buffer);
    EXPECT_EQ(received.state, Received::State::some);
    EXPECT_EQ(as_text(Bytes(buffer).first(received.size)), "bytes");
    pair.peer.close();
    EXPECT_EQ(pair.leg->receive(buffer).state, Received::State::ended);
    pair.leg->close();
    EXPECT_EQ(pair.leg->receive(buffer).state, Received::State::failed);
}

TEST(Leg, KeepsWhatThePeerDoesNotTakeAndSendsItInOrder) {
    Pair pair;
    const std::string chunk(100'000, 'x');
    std::size_t sent = 0;
    while (pair.leg->queued() == 0) {
        pair.leg->send(as_bytes(chunk));
        sent += chunk.size();
    }
    pair.leg->send(as_bytes("the end"));
    const std::size_t queued = pair.leg->queued();
    EXPECT_GT(queued, 7U);
    EXPECT_EQ(pair.read(sent - (queued - 7)), std::string(sent - (queued - 7), 'x'));
    std::string rest;
    while (rest.size() < queued) {
        pair.leg->flush();
        rest += pair.read(std::min<std::size_t>(queued - rest.size(), 4096));
    }
    EXPECT_EQ(rest, std::string(queued - 7, 'x') + "the end");
    pair.leg->flush();
    EXPECT_EQ(pair.leg->queued(), 0U);
}

TEST(Leg, PassesTheEndOnBehindWhatIsQueued) {
    Pair pair;
    const std::string chunk(100'000, 'x');
    std::size_t sent = 0;
    while (pair.leg->queued() == 0) {
        pair.leg->send(as_bytes(chunk));
        sent += chunk.size();
    }
    pair.leg->end();
    pair.leg->send(as_bytes("too late"));
    std::size_t read = 0;
    std::vector<char> buffer(4096);
    boost::system::error_code error;
    while (!error) {
        read += pair.peer.read_some(boost::asio::buffer(buffer), error);
        pair.leg->flush();
    }
    EXPECT_EQ(error, boost::asio::error::eof);
    EXPECT_EQ(read, sent);
}

TEST(Leg, APeerThatIsGoneSwallowsEverything) {
    Pair pair;
    pair.peer.set_option(boost::asio::socket_base::linger(true, 0));
    pair.peer.close();
    const std::string chunk(100'000, 'x');
    for (int i = 0; i < 100; ++i) {
        pair.leg->send(as_bytes(chunk));
    }
    EXPECT_EQ(pair.leg->queued(), 0U) << "nothing is kept for nobody";
}

}  // namespace
}  // namespace isotap::proxy
