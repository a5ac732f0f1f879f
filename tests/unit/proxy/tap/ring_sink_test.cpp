#include "proxy/tap/ring_sink.hpp"

#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/tap/event_parts.hpp"
#include "tests/unit/proxy/tap/told.hpp"

namespace isotap::proxy {
namespace {

using testing::began;
using ::testing::Contains;
using testing::ended;
using testing::line_of;
using ::testing::Not;
using testing::statement;

struct Drained {
    std::vector<std::string> lines;
    bool restarted = false;
};

Drained drain(EventRing& ring, std::size_t most = 1'000'000) {
    Drained drained;
    ring.drain(most, [&](const EventRing::Slot& slot) {
        drained.lines.push_back((slot.restart ? "restart " : "") + line_of(slot.event));
        drained.restarted = drained.restarted || slot.restart;
    });
    return drained;
}

history::Access access(std::uint64_t id, std::uint64_t row) {
    return {{history::TransactionId{id}, 1}, {}, {0, row}, {}, {}, {}};
}

TEST(RingSink, LosesTheRestOfATransactionThatLostSomethingAndSaysSo) {
    EventRing ring(16, 1024);
    RingCounters counters;
    RingSink sink(ring, OnOverload::shed, counters);
    sink.accept(began(1));
    for (std::uint64_t row = 0; row < 30; ++row) {
        sink.accept(access(1, row));
    }
    EXPECT_EQ(counters.gaps.value(), 1U);
    sink.accept(ended(1));
    const Drained drained = drain(ring);
    EXPECT_THAT(drained.lines, Contains("gap T1 x1"));
    EXPECT_EQ(drained.lines.back(), "end T1");
    EXPECT_EQ(counters.events.value() + counters.lost.value(), 33U);

    sink.accept(began(2));
    sink.accept(ended(2));
    EXPECT_THAT(drain(ring).lines, ::testing::ElementsAre("begin T2", "end T2"));
}

TEST(RingSink, TellsNothingOfATransactionWhoseBeginningWasLost) {
    EventRing ring(16, 1024);
    RingCounters counters;
    RingSink sink(ring, OnOverload::shed, counters);
    for (std::uint64_t id = 1; id <= 14; ++id) {
        sink.accept(began(id));
    }
    sink.accept(began(99));
    drain(ring);
    sink.accept(access(99, 1));
    sink.accept(ended(99));
    EXPECT_THAT(drain(ring).lines, ::testing::IsEmpty());
    EXPECT_EQ(counters.gaps.value(), 1U);
}

TEST(RingSink, RestartsWhenEvenTheEssentialHasNoRoom) {
    EventRing ring(16, 1024);
    RingCounters counters;
    RingSink sink(ring, OnOverload::shed, counters);
    for (std::uint64_t id = 1; id <= 40; ++id) {
        sink.accept(began(id));
        sink.accept(ended(id));
    }
    EXPECT_EQ(counters.restarts.value(), 1U);
    drain(ring);
    sink.accept(began(41));
    const Drained drained = drain(ring);
    EXPECT_TRUE(drained.restarted);
    EXPECT_EQ(drained.lines.back(), "begin T41");
}

TEST(RingSink, TellsANameAgainUntilItCameThrough) {
    EventRing ring(16, 1024);
    RingCounters counters;
    RingSink sink(ring, OnOverload::shed, counters);
    for (std::uint64_t id = 1; id <= 14; ++id) {
        sink.accept(began(id));
    }
    sink.accept(history::NameDefined{history::NameId{7}, "account"});
    EXPECT_THAT(drain(ring).lines, Not(Contains("name 7 account")));
    sink.accept(began(20));
    EXPECT_THAT(drain(ring).lines, ::testing::ElementsAre("name 7 account", "begin T20"));
}

TEST(RingSink, CutsAStatementThatIsLargerThanTheRing) {
    EventRing ring(16, 1024);
    RingCounters counters;
    RingSink sink(ring, OnOverload::shed, counters);
    sink.accept(statement(1, 1, std::string(5'000, 'x')));
    EXPECT_EQ(drain(ring).lines.at(0), "statement T1.1 " + std::string(128, 'x') + " (cut)");
    EXPECT_EQ(counters.lost.value(), 0U);
}

/// What a listener may rely on: of each transaction, what came is a beginning of what was told,
/// then perhaps a gap, then only what ends or undoes; and a transaction with neither gap nor
/// restart came whole.
class Audit {
  public:
    void told(const history::Event& event) { told_[id_of(event)].push_back(line_of(event)); }

    void came(const EventRing::Slot& slot) {
        if (slot.restart) {
            restarted_ = true;
            cut_off_.clear();
            for (const auto& [id, position] : open_) {
                cut_off_.insert(id);
            }
            open_.clear();
            return;
        }
        const std::uint64_t id = id_of(slot.event);
        if (std::holds_alternative<history::Gap>(slot.event)) {
            gaps_.insert(id);
            return;
        }
        if (std::holds_alternative<history::TransactionBegan>(slot.event)) {
            open_[id] = 0;
        }
        const auto open = open_.find(id);
        if (open == open_.end()) {
            strays_ += cut_off_.contains(id) || restarted_ ? 0 : 1;
            return;
        }
        const auto& all = told_[id];
        auto& position = open->second;
        while (position < all.size() && all[position] != line_of(slot.event)) {
            skipped_.insert(id);
            ++position;
        }
        wrong_ += position == all.size() ? 1 : 0;
        ++position;
        if (std::holds_alternative<history::TransactionEnded>(slot.event)) {
            open_.erase(open);
        }
    }

    void check() const {
        EXPECT_EQ(wrong_, 0U) << "out of order, or never told";
        EXPECT_EQ(strays_, 0U) << "events of transactions that never began";
        for (const std::uint64_t id : skipped_) {
            EXPECT_TRUE(gaps_.contains(id)) << "T" << id << " lost something in silence";
        }
    }
    [[nodiscard]] std::size_t torn() const { return gaps_.size(); }

  private:
    static std::uint64_t id_of(const history::Event& event) {
        return static_cast<std::uint64_t>(transaction_of(event));
    }

    std::map<std::uint64_t, std::vector<std::string>> told_;
    std::map<std::uint64_t, std::size_t> open_;
    std::set<std::uint64_t> gaps_;
    std::set<std::uint64_t> skipped_;
    std::set<std::uint64_t> cut_off_;
    std::size_t wrong_ = 0;
    std::size_t strays_ = 0;
    bool restarted_ = false;
};

/// Interleaved transactions of a few sessions, as a relay thread tells them.
class Traffic {
  public:
    explicit Traffic(std::uint32_t seed) : random_(seed) {}

    template <typename Take>
    void step(Take take) {
        std::uint64_t& id = open_[random_() % open_.size()];
        if (id == 0) {
            id = ++last_;
            take(history::Event{began(id)});
            return;
        }
        switch (random_() % 6) {
            case 0:
                take(history::Event{ended(id)});
                id = 0;
                break;
            case 1: take(history::Event{statement(id, 1, std::string(random_() % 90, 's'))}); break;
            case 2:
                take(history::Event{history::Savepoint{
                    {history::TransactionId{id}, ++count_}, history::SavepointAction::set, "s"}});
                break;
            default: take(history::Event{access(id, ++count_)}); break;
        }
    }

  private:
    std::mt19937 random_;
    std::array<std::uint64_t, 4> open_{};
    std::uint64_t last_ = 0;
    std::uint32_t count_ = 0;
};

TEST(RingSink, WhatComesOutIsWhatWentInOrAGapStandsForIt) {
    std::size_t torn = 0;
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        EventRing ring(64, 1024);
        RingCounters counters;
        RingSink sink(ring, OnOverload::shed, counters);
        Traffic traffic(seed);
        Audit audit;
        std::mt19937 consumer(seed);
        for (int i = 0; i < 2'000; ++i) {
            traffic.step([&](const history::Event& event) {
                audit.told(event);
                sink.accept(event);
            });
            // Now and then much is taken, mostly little: the ring is full for a while.
            const std::size_t most = consumer() % 100 == 0 ? 64 : consumer() % 2;
            ring.drain(most, [&](const EventRing::Slot& slot) { audit.came(slot); });
        }
        audit.check();
        torn += audit.torn();
    }
    EXPECT_GT(torn, 100U) << "the ring was never full: this showed nothing";
}

TEST(RingSink, LosesNothingWhenItMayWait) {
    EventRing ring(64, 1024);
    RingCounters counters;
    RingSink sink(ring, OnOverload::block, counters);
    constexpr std::uint64_t transactions = 20'000;
    std::thread producer([&sink] {
        for (std::uint64_t id = 1; id <= transactions; ++id) {
            sink.accept(began(id));
            sink.accept(access(id, id));
            sink.accept(ended(id));
        }
    });
    std::uint64_t came = 0;
    while (came < 3 * transactions) {
        came += ring.drain(7, [](const EventRing::Slot&) {});
    }
    producer.join();
    EXPECT_EQ(counters.lost.value(), 0U);
    EXPECT_EQ(counters.events.value(), came);
}

TEST(RingSink, AFastProducerDoesNotDisturbASlowConsumer) {
    EventRing ring(128, 4096);
    RingCounters counters;
    std::atomic<bool> done{false};
    std::thread producer([&] {
        RingSink sink(ring, OnOverload::shed, counters);
        Traffic traffic(7);
        for (int i = 0; i < 300'000; ++i) {
            traffic.step([&](const history::Event& event) { sink.accept(event); });
        }
        done = true;
    });
    while (counters.lost.value() == 0) {
        std::this_thread::yield();
    }
    std::uint64_t came = 0;
    std::uint64_t characters = 0;
    while (!done || ring.depth() > 0) {
        came += ring.drain(
            3, [&](const EventRing::Slot& slot) { characters += line_of(slot.event).size(); });
    }
    producer.join();
    EXPECT_EQ(came, counters.events.value());
    EXPECT_GT(counters.lost.value(), 0U);
    EXPECT_GT(characters, came);
}

}  // namespace
}  // namespace isotap::proxy
