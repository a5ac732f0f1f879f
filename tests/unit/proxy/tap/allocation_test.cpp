// A relay thread tells the tap without asking for memory: counted, not believed. In a program of
// its own, because it replaces operator new.
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "proxy/tap/ring_sink.hpp"
#include "tests/support/counted_allocations.hpp"
#include "tests/unit/proxy/tap/skew.hpp"

namespace isotap::proxy {
namespace {

TEST(TapAllocation, NoneForWhatGoesIntoTheRing) {
    const std::size_t none = counted_allocations();
    const std::string counted(1'000, 'x');
    ASSERT_GT(counted_allocations(), none) << counted.size();

    constexpr std::size_t events = 1'024;
    constexpr std::uint64_t transactions = 2'000;
    RingCounters counters;
    EventRing ring(events, 64 * kibibyte);
    RingSink sink(ring, OnOverload::shed, counters);
    const std::size_t before = counted_allocations();
    for (std::uint64_t id = 1; id <= transactions; ++id) {
        testing::plain_update(
            id, [&](std::size_t, const history::Event& event) { sink.accept(event); });
        ring.drain(events, [](const EventRing::Slot&) {});
    }
    EXPECT_EQ(counted_allocations() - before, 0U);
    EXPECT_EQ(counters.lost.value(), 0U);
    EXPECT_GT(counters.events.value(), transactions);
}

}  // namespace
}  // namespace isotap::proxy
