// Cycles that hang together without an end: neither the graph nor its searches may grow with them.
#include <algorithm>

#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::Version;

/// Of which the first has begun. Each transaction skews with the one before it and with the one
/// behind it.
void tell_chain(HistoryScript& h, HistoryScript::Id length) {
    constexpr HistoryScript::Id searched_after = 500;
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
    h.begin(1);
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

/// Two transactions overwrite the same row, which both have read before. The first is under way.
void lose_an_update(HistoryScript& h, HistoryScript::Id first, HistoryScript::Id second) {
    const HistoryScript::Row contended = 1'000'000 + first;
    h.begin(second);
    h.read(first, contended, Version::initial());
    h.read(second, contended, Version::initial());
    const Version lost = h.write(second, contended, Version::initial());
    h.commit(second);
    h.write(first, contended, lost);
}

TEST(ChainedCycles, DoNotHideWhatIsRare) {
    constexpr HistoryScript::Id length = 400;
    HistoryScript h;
    h.begin(1);
    lose_an_update(h, 1, 5'001);
    tell_chain(h, length);
    lose_an_update(h, length, 5'002);
    h.commit(length);
    const auto names = h.found();
    EXPECT_EQ(std::count(names.begin(), names.end(), "lost-update"), 2);
    EXPECT_GT(h.engine().statistics().more_witnesses, 0U) << "of those that are common";
}

TEST(ChainedCycles, AreNotSearchedAgainWithoutNews) {
    HistoryScript h;
    h.begin(1);
    tell_chain(h, 400);
    h.engine().search();
    const Statistics before = h.engine().statistics();
    h.engine().search();
    EXPECT_GT(before.more_witnesses, 0U);
    EXPECT_EQ(h.engine().statistics().more_witnesses, before.more_witnesses);
    EXPECT_EQ(h.engine().statistics().hazards, before.hazards);
}

/// Of one transaction it is lost what it overwrote; a hundred others follow.
Statistics after_loss(std::size_t window) {
    EngineOptions options;
    options.arrival_skew = std::chrono::milliseconds{10};
    options.window = window;
    HistoryScript h{options};
    h.begin(1);
    h.write(1, 1, Version{});
    h.commit(1);
    for (HistoryScript::Id id = 2; id < 102; ++id) {
        h.begin(id);
        h.commit(id);
    }
    h.engine().search();
    return h.engine().statistics();
}

TEST(WhatWasLost, IsNotWaitedForUnderAWindow) {
    const Statistics endless = after_loss(1'000);
    EXPECT_EQ(endless.forced, 1U) << "counted: the verdict is not clean";
    const Statistics whole = after_loss(0);
    EXPECT_EQ(whole.forced, 0U);
    EXPECT_EQ(whole.live, endless.live + 1);
}

}  // namespace
}  // namespace isotap::analysis::testing
