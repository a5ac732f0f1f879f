// What a quiet stream still settles: nothing comes any more, and time goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::Version;
using std::chrono::milliseconds;

EngineOptions live_options() {
    EngineOptions options;
    options.arrival_skew = milliseconds{500};
    return options;
}

/// A write skew over rows whose versions are named by a number that nobody knows.
void tell_skew_over_unknown_versions(HistoryScript& h) {
    h.begin(1);
    h.begin(2);
    h.read(1, 1, Version::foreign(5));
    h.read(2, 2, Version::foreign(5));
    h.write(1, 2, Version::foreign(5));
    h.write(2, 1, Version::foreign(5));
    h.commit(1);
    h.commit(2);
}

TEST(PassTime, AVersionWithoutANameIsThePastOnceItsNameCannotComeAnyMore) {
    HistoryScript h{live_options()};
    tell_skew_over_unknown_versions(h);
    Engine& engine = h.engine();
    engine.search();
    EXPECT_EQ(engine.statistics().hazards, 0U) << "an alias may still come";
    const auto due = engine.due();
    ASSERT_TRUE(due);

    engine.pass_time(*due - milliseconds{1});
    EXPECT_EQ(engine.statistics().hazards, 0U);
    for (int steps = 0; engine.due() && steps < 2; ++steps) {  // they ended one after the other
        engine.pass_time(*engine.due());
    }
    EXPECT_FALSE(engine.due());
    ASSERT_EQ(engine.anomalies().size(), 1U);
    EXPECT_EQ(name_of(engine.anomalies()[0].kind), "G2-item");
}

TEST(PassTime, SomebodyWhoIsStillOpenCannotHaveMadeWhatWasSeen) {
    HistoryScript h{live_options()};
    h.begin(9);  // an idle session that nobody ends
    tell_skew_over_unknown_versions(h);
    ASSERT_TRUE(h.engine().due());
    h.engine().pass_time(*h.engine().due() - milliseconds{1});
    EXPECT_EQ(h.engine().statistics().hazards, 0U);
    h.engine().pass_time(h.tick() + std::chrono::seconds{1});
    EXPECT_FALSE(h.engine().due());
    EXPECT_EQ(h.engine().statistics().hazards, 1U);
}

TEST(PassTime, OnlyHisEndSettlesWhatSomebodyWithThatNumberMade) {
    HistoryScript h{live_options()};
    h.begin(9);
    h.tell(history::Alias{history::TransactionId{9}, 5});
    tell_skew_over_unknown_versions(h);
    EXPECT_FALSE(h.engine().due());
    h.engine().pass_time(h.tick() + std::chrono::hours{1});
    EXPECT_EQ(h.engine().statistics().hazards, 0U) << "he had committed: his end is on its way";
    h.commit(9);
    h.engine().search();
    EXPECT_EQ(h.engine().statistics().hazards, 1U);
}

TEST(PassTime, AConditionIsDecidedInAQuietStream) {
    HistoryScript h{live_options()};
    h.begin(1);
    h.begin(2);
    h.tell(history::PredicateRead{
        {history::TransactionId{1}, 1}, history::PredicateId{1}, h.table, ""});
    const Version made = h.insert(2, 7);
    const Version seen = h.write(2, 8, t0);
    h.commit(2);
    h.read(1, 8, seen);
    h.tell(history::PredicateMatch{history::PredicateId{1},
                                   {history::TransactionId{2}, made.statement},
                                   h.row_key(7),
                                   false,
                                   true});
    h.commit(1);
    h.engine().search();
    EXPECT_EQ(h.engine().statistics().hazards, 0U);
    ASSERT_TRUE(h.engine().due());
    h.engine().pass_time(*h.engine().due());
    EXPECT_FALSE(h.engine().due());
    EXPECT_EQ(h.engine().statistics().hazards, 1U);
}

TEST(PassTime, NothingIsDueWhereNothingWaits) {
    HistoryScript h{live_options()};
    EXPECT_FALSE(h.engine().due());
    h.begin(1);
    h.read(1, 1, t0);
    h.commit(1);
    EXPECT_FALSE(h.engine().due());
    h.engine().pass_time(h.tick() + std::chrono::hours{1});
    EXPECT_EQ(h.engine().statistics().live, 0U);
}

}  // namespace
}  // namespace isotap::analysis::testing
