#include "proxy/tap/event_ring.hpp"

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/tap/told.hpp"

namespace isotap::proxy {
namespace {

using testing::began;
using ::testing::ElementsAre;
using testing::line_of;
using testing::statement;
using Urgency = EventRing::Urgency;

std::vector<std::string> drained(EventRing& ring, std::size_t most = 1000) {
    std::vector<std::string> lines;
    ring.drain(most, [&](const EventRing::Slot& slot) { lines.push_back(line_of(slot.event)); });
    return lines;
}

TEST(EventRing, GivesWhatItGotWithItsTexts) {
    EventRing ring(16, 4096);
    const std::array<history::Version, 2> writers{
        history::Version::written_by({history::TransactionId{5}, 1}),
        history::Version::written_by({history::TransactionId{9}, 3})};
    {
        std::string text = "select 1";
        EXPECT_TRUE(ring.push(statement(5, 1, text), Urgency::ordinary));
        text.assign("overwritten");
        EXPECT_TRUE(
            ring.push(history::WriterList{{history::TransactionId{5}, 1}, {}, {}, 0, writers},
                      Urgency::ordinary));
        EXPECT_TRUE(
            ring.push(history::SessionBegan{{}, {}, {}, "ann", "shop", "web"}, Urgency::ordinary));
        EXPECT_TRUE(ring.push(history::RowImage{{}, {}, {}, "(1)", "(2)"}, Urgency::ordinary));
    }
    EXPECT_EQ(ring.depth(), 4U);
    EXPECT_THAT(drained(ring), ElementsAre("statement T5.1 select 1", "list T5.1 5.1 9.3",
                                           "session ann/shop/web", "image (1) > (2)"));
    EXPECT_EQ(ring.depth(), 0U);
}

TEST(EventRing, KeepsRoomForTheEssential) {
    EventRing ring(16, 4096);
    std::size_t ordinary = 0;
    while (ring.push(began(ordinary + 1), Urgency::ordinary)) {
        ++ordinary;
    }
    EXPECT_EQ(ordinary, 14U);
    EXPECT_TRUE(ring.push(testing::ended(1), Urgency::essential));
    EXPECT_TRUE(ring.push(testing::ended(2), Urgency::essential));
    EXPECT_FALSE(ring.push(testing::ended(3), Urgency::essential));
    EXPECT_EQ(drained(ring, 1).size(), 1U);
    EXPECT_TRUE(ring.push(testing::ended(3), Urgency::essential));
}

TEST(EventRing, RefusesTextsBeyondItsBytesAndTakesThemAgainLater) {
    EventRing ring(1024, 1024);
    const std::string text(200, 'x');
    std::size_t taken = 0;
    while (ring.push(statement(1, 1, text), Urgency::ordinary)) {
        ++taken;
    }
    EXPECT_EQ(taken, 4U);
    EXPECT_TRUE(ring.push(began(2), Urgency::ordinary)) << "needs no bytes";
    EXPECT_EQ(drained(ring).size(), taken + 1);
    EXPECT_TRUE(ring.push(statement(1, 1, text), Urgency::ordinary));
    EXPECT_FALSE(ring.fits(statement(1, 1, std::string(300, 'x'))));
}

TEST(EventRing, TextsSurviveEveryPlaceOfTheWrap) {
    EventRing ring(64, 1024);
    for (std::size_t i = 0; i < 5'000; ++i) {
        const std::string text(i % 190, static_cast<char>('a' + i % 26));
        const auto event = statement(i + 1, 1, text);
        ASSERT_TRUE(ring.push(event, Urgency::ordinary));
        ASSERT_THAT(drained(ring), ElementsAre(line_of(event)));
    }
}

TEST(EventRing, CarriesAStreamFromThreadToThread) {
    constexpr std::uint64_t count = 200'000;
    EventRing ring(256, 16 * 1024);
    std::thread producer([&ring] {
        std::string text;
        for (std::uint64_t i = 1; i <= count; ++i) {
            text.assign(i % 97, static_cast<char>('a' + i % 26));
            while (!ring.push(statement(i, 1, text), Urgency::ordinary)) {
                ring.wait_for_room();
            }
        }
    });
    std::uint64_t next = 1;
    std::uint64_t wrong = 0;
    while (next <= count) {
        const std::size_t got = ring.drain(64, [&](const EventRing::Slot& slot) {
            const auto& event = std::get<history::StatementBegan>(slot.event);
            const bool right =
                event.statement.transaction == history::TransactionId{next} &&
                event.text == std::string(next % 97, static_cast<char>('a' + next % 26));
            wrong += right ? 0 : 1;
            ++next;
        });
        if (got == 0) {
            std::this_thread::yield();
        }
    }
    producer.join();
    EXPECT_EQ(wrong, 0U);
}

TEST(EventRing, LetsAWaitingProducerGoWhenItCloses) {
    EventRing ring(16, 1024);
    while (ring.push(began(1), Urgency::ordinary)) {
    }
    std::thread producer([&ring] {
        while (ring.wait_for_room()) {
        }
    });
    ring.close();
    producer.join();
    EXPECT_FALSE(ring.wait_for_room());
}

}  // namespace
}  // namespace isotap::proxy
