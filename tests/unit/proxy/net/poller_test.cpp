#include "proxy/net/poller.hpp"

#include <array>
#include <string>
#include <sys/socket.h>
#include <thread>

#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

/// Remembers what it was told.
struct Witness final : Watcher {
    void on_ready(Ready ready) override {
        ++calls;
        last = ready;
    }

    int calls = 0;
    Ready last;
};

class PollerTest : public testing::TestWithParam<Io> {
  protected:
    PollerTest() {
        std::array<int, 2> pair{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair.data()), 0);
        ours_ = Descriptor(pair[0]);
        peer_ = Descriptor(pair[1]);
    }

    void peer_says(const std::string& text) {
        EXPECT_EQ(::send(peer_.get(), text.data(), text.size(), 0),
                  static_cast<ssize_t>(text.size()));
    }

    static std::unique_ptr<Poller> make() {
        // Without a ring the test is that of epoll once more.
        const bool has_ring = GetParam() == Io::io_uring && Ring::open(1) != nullptr;
        return std::make_unique<Poller>(has_ring ? Io::io_uring : Io::epoll, 64 * 1024);
    }

    /// One round that cannot wait, because a job is due.
    void run_round() {
        poller_.post([] {});
        poller_.run_one();
    }

    std::unique_ptr<Poller> made_ = make();
    Poller& poller_ = *made_;
    Descriptor ours_;
    Descriptor peer_;
};

TEST_P(PollerTest, TellsOnceWhatHasCome) {
    Witness witness;
    poller_.watch(ours_.get(), witness);
    poller_.run_one();
    EXPECT_TRUE(witness.last.writable);
    EXPECT_FALSE(witness.last.readable);

    peer_says("one");
    poller_.run_one();
    EXPECT_TRUE(witness.last.readable);
    EXPECT_FALSE(witness.last.ended);

    const int calls = witness.calls;
    run_round();
    EXPECT_EQ(witness.calls, calls) << "unread bytes are no news";

    peer_says("two");
    poller_.run_one();
    EXPECT_EQ(witness.calls, calls + 1) << "more bytes are";
}

TEST_P(PollerTest, TellsOfTheEndTogetherWithTheLastBytes) {
    Witness witness;
    poller_.watch(ours_.get(), witness);
    peer_says("last words");
    peer_.reset();
    poller_.run_one();
    EXPECT_TRUE(witness.last.readable);
    EXPECT_TRUE(witness.last.ended);
}

TEST_P(PollerTest, ANewWatcherIsToldWhatTheOldOneKnew) {
    Witness old;
    poller_.watch(ours_.get(), old);
    peer_says("x");
    poller_.run_one();
    const int calls = old.calls;
    Witness successor;
    poller_.watch(ours_.get(), successor);
    poller_.run_one();
    EXPECT_TRUE(successor.last.readable);
    EXPECT_EQ(old.calls, calls);
}

TEST_P(PollerTest, GivesAnotherTurnBehindTheOthers) {
    struct Yields final : Watcher {
        void on_ready(Ready ready) override { turns += ready.readable ? 0 : 1; }
        int turns = 0;
    };
    const auto busy = std::make_shared<Yields>();
    Witness witness;
    poller_.watch(ours_.get(), witness);
    poller_.again(busy);
    poller_.run_one();
    EXPECT_EQ(witness.calls, 1) << "who has news is heard in the same round";
    EXPECT_EQ(busy->turns, 1);
    run_round();
    EXPECT_EQ(busy->turns, 1) << "one turn for each call of again";
}

TEST_P(PollerTest, KeepsAClosedWatcherUntilTheRoundIsOver) {
    const auto kept = std::make_shared<int>(1);
    poller_.post([&] {
        poller_.keep(kept);
        EXPECT_EQ(kept.use_count(), 2);
    });
    poller_.run_one();
    EXPECT_EQ(kept.use_count(), 1);
}

TEST_P(PollerTest, RunsJobsOfOtherThreadsInOrderAndStops) {
    std::string order;
    std::thread runner([this] { poller_.run(); });
    for (const char letter : std::string("abc")) {
        poller_.post([&order, letter] { order += letter; });
    }
    poller_.post([this] { poller_.stop(); });
    runner.join();
    EXPECT_EQ(order, "abc");
}

TEST_P(PollerTest, CallsAtTheTimeInTheOrderOfTimes) {
    const auto now = std::chrono::steady_clock::now();
    std::string order;
    poller_.at(now + std::chrono::milliseconds(3), [&order] { order += "b"; });
    poller_.at(now + std::chrono::milliseconds(1), [&order] { order += "a"; });
    while (order.size() < 2) {
        poller_.run_one();
    }
    EXPECT_EQ(order, "ab");
    EXPECT_GE(std::chrono::steady_clock::now(), now + std::chrono::milliseconds(3));
}

TEST_P(PollerTest, TicksAgainAndAgain) {
    int ticks = 0;
    poller_.every(std::chrono::milliseconds(1), [&ticks] { ++ticks; });
    while (ticks < 3) {
        poller_.run_one();
    }
    EXPECT_GE(ticks, 3);
}

INSTANTIATE_TEST_SUITE_P(Io, PollerTest, testing::Values(Io::epoll, Io::io_uring),
                         [](const auto& io) {
                             return io.param == Io::epoll ? "epoll" : "io_uring";
                         });

}  // namespace
}  // namespace isotap::proxy
