// Cycles that hang together without an end: the graph must not grow with them.
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::Version;

/// Each transaction skews with the one before it and with the one behind it.
void tell_chain(HistoryScript& h, HistoryScript::Id length) {
    constexpr HistoryScript::Id searched_after = 500;
    h.begin(1);
    for (HistoryScript::Id id = 1; id < length; ++id) {
        h.begin(id + 1);
        h.read(id + 1, id, Version::initial());
        h.read(id, id + 1, Version::initial());
        h.write(id, id, Version::initial());
        h.commit(id);
        if (id % searched_after == 0) h.engine().search();
    }
}

Statistics after_chain(std::size_t window) {
    EngineOptions options;
    options.arrival_skew = std::chrono::milliseconds{10};
    options.search_every = 1'000'000;
    options.window = window;
    HistoryScript h{options};
    tell_chain(h, 5'001);
    return h.engine().statistics();
}

TEST(ChainedCycles, AreKeptWhereNothingBoundsThem) {
    const Statistics all = after_chain(0);
    EXPECT_GE(all.live, 4'990U);
    EXPECT_EQ(all.forced, 0U);
}

TEST(ChainedCycles, HoldASixteenthOfTheWindow) {
    const Statistics some = after_chain(1'600);
    EXPECT_LE(some.live, 110U);
    EXPECT_GE(some.forced, 4'800U) << "counted: the verdict is not clean";
    EXPECT_GT(some.hazards, 0U);
    EXPECT_EQ(some.violations, 0U);
}

}  // namespace
}  // namespace isotap::analysis::testing
