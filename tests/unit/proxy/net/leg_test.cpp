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

/// Remembers nothing but that it was told.
struct Told final : Watcher {
    explicit Told(Leg& watched) : leg(watched) {}
    void on_ready(Ready ready) override {
        ++calls;
        leg.on_ready(ready);
    }

    Leg& leg;
    int calls = 0;
};

/// A leg and the peer at the other end of it, by either way of serving connections.
class LegTest : public testing::TestWithParam<Io> {
  protected:
    void SetUp() override {
        if (GetParam() == Io::io_uring && Ring::open(1) == nullptr) {
            GTEST_SKIP() << "SKIPPED: this system does not let us use io_uring";
        }
        poller_ = std::make_unique<Poller>(GetParam(), 64 * 1024);
        tcp::acceptor acceptor(io_, tcp::endpoint(tcp::v4(), 0));
        tcp::socket ours(io_);
        ours.connect(tcp::endpoint(boost::asio::ip::address_v4::loopback(),
                                   acceptor.local_endpoint().port()));
        peer_ = acceptor.accept();
        ours.non_blocking(true);
        leg_ = std::make_unique<Leg>();
        told_ = std::make_unique<Told>(*leg_);
        leg_->open(Descriptor(ours.release()));
        leg_->watch(*poller_, *told_);
    }

    /// One turn of the thread, which does not wait.
    void turn() {
        poller_->post([] {});
        poller_->run_one();
    }

    /// What comes next, however many turns that takes.
    Received receive() {
        for (;;) {
            if (const Received received = leg_->receive(scratch_);
                received.state != Received::State::none) {
                return received;
            }
            poller_->run_one();
        }
    }

    std::string read(std::size_t size) {
        std::string bytes(size, '\0');
        boost::asio::read(peer_, boost::asio::buffer(bytes));
        return bytes;
    }

    /// Sends until the peer, who does not read, takes no more. How much was sent.
    std::size_t fill() {
        const std::string chunk(100'000, 'x');
        std::size_t sent = 0;
        while (leg_->queued() == 0) {
            leg_->send(as_bytes(chunk));
            sent += chunk.size();
        }
        return sent;
    }

    boost::asio::io_context io_;
    tcp::socket peer_{io_};
    std::unique_ptr<Poller> poller_;
    std::unique_ptr<Leg> leg_;
    std::unique_ptr<Told> told_;
    std::vector<std::uint8_t> scratch_ = std::vector<std::uint8_t>(16);
};

TEST_P(LegTest, SendsSmallSegmentsAtOnce) {
    int option = 0;
    socklen_t length = sizeof option;
    getsockopt(leg_->descriptor(), IPPROTO_TCP, TCP_NODELAY, &option, &length);
    EXPECT_NE(option, 0) << "X-09";
}

TEST_P(LegTest, TellsBytesFromTheirAbsenceAndFromTheEnd) {
    EXPECT_EQ(leg_->receive(scratch_).state, Received::State::none);
    boost::asio::write(peer_, boost::asio::buffer("bytes", 5));
    const Received received = receive();
    EXPECT_EQ(received.state, Received::State::some);
    EXPECT_EQ(as_text(received.bytes), "bytes");
    peer_.close();
    EXPECT_EQ(receive().state, Received::State::ended);
}

TEST_P(LegTest, TellsAnEndFromABreak) {
    boost::asio::write(peer_, boost::asio::buffer("bytes", 5));
    peer_.set_option(boost::asio::socket_base::linger(true, 0));
    peer_.close();
    Received received = receive();
    while (received.state == Received::State::some) {
        received = receive();
    }
    EXPECT_EQ(received.state, Received::State::failed);
}

TEST_P(LegTest, SendsWhatWasSaidInOneTurnInOrder) {
    std::string said;
    for (int i = 0; i < 100; ++i) {
        const std::string word = std::to_string(i) + std::string(static_cast<std::size_t>(i), '.');
        leg_->send(as_bytes(word));
        said += word;
        if (i % 7 == 0) {
            turn();
        }
    }
    const std::string large(50'000, 'y');
    leg_->send(as_bytes(large));
    leg_->send(as_bytes("behind"));
    std::string heard;
    while (heard.size() < said.size() + large.size() + 6) {
        turn();
        std::string some(65536, '\0');
        some.resize(peer_.read_some(boost::asio::buffer(some)));
        heard += some;
    }
    EXPECT_EQ(heard, said + large + "behind");
    EXPECT_EQ(leg_->queued(), 0U);
}

TEST_P(LegTest, KeepsWhatThePeerDoesNotTakeAndSendsItInOrder) {
    const std::size_t sent = fill();
    leg_->send(as_bytes("the end"));
    EXPECT_GT(leg_->queued(), 7U);
    std::string heard;
    while (heard.size() < sent + 7) {
        turn();
        heard += read(std::min<std::size_t>(sent + 7 - heard.size(), 4096));
    }
    EXPECT_EQ(heard, std::string(sent, 'x') + "the end");
    turn();
    EXPECT_EQ(leg_->queued(), 0U);
}

TEST_P(LegTest, PassesTheEndOnBehindWhatIsQueued) {
    const std::size_t sent = fill();
    leg_->end();
    leg_->send(as_bytes("too late"));
    std::size_t read = 0;
    std::vector<char> buffer(4096);
    boost::system::error_code error;
    while (!error) {
        read += peer_.read_some(boost::asio::buffer(buffer), error);
        turn();
    }
    EXPECT_EQ(error, boost::asio::error::eof);
    EXPECT_EQ(read, sent);
}

TEST_P(LegTest, APeerThatIsGoneSwallowsEverything) {
    peer_.set_option(boost::asio::socket_base::linger(true, 0));
    peer_.close();
    const std::string chunk(100'000, 'x');
    for (int i = 0; i < 100; ++i) {
        leg_->send(as_bytes(chunk));
        leg_->send(as_bytes("small"));
        turn();
    }
    EXPECT_EQ(leg_->queued(), 0U) << "nothing is kept for nobody";
}

TEST_P(LegTest, WhatWasSaidBeforeTheCloseStillArrives) {
    leg_->send(as_bytes("last words"));
    leg_->close();
    turn();
    EXPECT_EQ(read(10), "last words");
    boost::system::error_code error;
    char more = 0;
    peer_.read_some(boost::asio::buffer(&more, 1), error);
    EXPECT_EQ(error, boost::asio::error::eof) << "the socket is closed although a read was pending";
}

TEST_P(LegTest, WhatWasSentInPartIsNotSaidAgainByTheClose) {
    std::string said;
    while (said.size() < 16'000'000) {
        said += std::to_string(said.size()) + ' ';
    }
    leg_->send(as_bytes(said));
    const std::size_t left = leg_->queued();
    ASSERT_GT(left, 0U) << "more than the kernel keeps";
    std::string heard;
    while (leg_->queued() == left) {
        heard += read(100'000);
        turn();
    }
    heard += read(500'000);  // makes room again
    leg_->close();
    std::vector<char> buffer(65'536);
    boost::system::error_code error;
    while (!error) {
        const std::size_t more = peer_.read_some(boost::asio::buffer(buffer), error);
        heard.append(buffer.data(), more);
    }
    EXPECT_EQ(error, boost::asio::error::eof);
    EXPECT_TRUE(said.starts_with(heard));
}

TEST_P(LegTest, NobodyHearsOfAClosedLeg) {
    EXPECT_EQ(leg_->receive(scratch_).state, Received::State::none);
    turn();
    boost::asio::write(peer_, boost::asio::buffer("bytes", 5));
    leg_->close();
    const int calls = told_->calls;
    leg_.reset();
    turn();
    turn();
    EXPECT_EQ(told_->calls, calls);
}

TEST_P(LegTest, BytesThatNobodyTakesYetAreKept) {
    EXPECT_EQ(leg_->receive(scratch_).state, Received::State::none);
    turn();
    boost::asio::write(peer_, boost::asio::buffer("bytes", 5));
    const int calls = told_->calls;
    while (told_->calls == calls) {
        poller_->run_one();
    }
    turn();
    turn();
    EXPECT_EQ(as_text(receive().bytes), "bytes");
}

INSTANTIATE_TEST_SUITE_P(Io, LegTest, testing::Values(Io::epoll, Io::io_uring), [](const auto& io) {
    return io.param == Io::epoll ? "epoll" : "io_uring";
});

}  // namespace
}  // namespace isotap::proxy
