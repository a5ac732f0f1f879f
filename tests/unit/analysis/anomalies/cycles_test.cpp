#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::IsolationLevel;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Cycles, SerialHistoryHasNone) {
    HistoryScript h;
    h.begin(1);
    h.read(1, 1, t0);
    const auto v1 = h.write(1, 1, t0);
    h.commit(1);
    h.begin(2);
    h.read(2, 1, v1);
    h.write(2, 1, v1);
    h.commit(2);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().verdict(), Verdict::clean);
    EXPECT_EQ(h.engine().statistics().transactions.committed, 2U);
}

TEST(Cycles, DirtyWriteIsG0) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    const auto x1 = h.write(1, 1, t0);
    h.write(2, 1, x1);
    const auto y2 = h.write(2, 2, t0);
    h.write(1, 2, y2);
    h.commit(1);
    h.commit(2);
    EXPECT_THAT(h.found(), ElementsAre("G0"));
}

TEST(Cycles, MutualReadsAreG1c) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    const auto x = h.write(1, 1, t0);
    const auto y = h.write(2, 2, t0);
    h.read(1, 2, y);
    h.read(2, 1, x);
    h.commit(1);
    h.commit(2);
    const auto names = h.found();
    EXPECT_THAT(names, ElementsAre("G1c"));
    EXPECT_EQ(h.engine().anomalies()[0].edges.size(), 2U);
}

TEST(Cycles, LostUpdate) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.read(2, 1, t0);
    const auto v = h.write(2, 1, t0);
    h.commit(2);
    h.write(1, 1, v);
    h.commit(1);
    EXPECT_THAT(h.found(), ElementsAre("lost-update"));
    EXPECT_EQ(plain_name(h.engine().anomalies()[0]), "lost update");
}

TEST(Cycles, WriteSkewIsG2Item) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.read(1, 2, t0);
    h.read(2, 1, t0);
    h.read(2, 2, t0);
    h.write(1, 1, t0);
    h.write(2, 2, t0);
    h.commit(1);
    h.commit(2);
    EXPECT_THAT(h.found(), ElementsAre("G2-item"));
    EXPECT_EQ(plain_name(h.engine().anomalies()[0]), "write skew");
}

TEST(Cycles, HalfOfATransactionIsAFracturedRead) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.write(2, 1, t0);
    const auto y = h.write(2, 2, t0);
    h.commit(2);
    h.read(1, 2, y);
    h.commit(1);
    EXPECT_THAT(h.found(), ElementsAre("fractured-read"));
    EXPECT_EQ(plain_name(h.engine().anomalies()[0]), "read skew");
}

TEST(Cycles, ReadWriteSkewIsGSingle) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.write(2, 1, t0);
    const auto y = h.write(2, 2, t0);
    h.commit(2);
    h.write(1, 2, y);
    h.commit(1);
    EXPECT_THAT(h.found(), ElementsAre("G-single"));
    EXPECT_EQ(plain_name(h.engine().anomalies()[0]), "read-write skew");
}

TEST(Cycles, CausalViolationNeedsTheWayRound) {
    HistoryScript h;
    h.begin(1);
    const auto x = h.write(1, 1, t0);
    h.commit(1);
    h.begin(2);
    h.read(2, 1, x);
    const auto y = h.write(2, 2, t0);
    h.commit(2);
    h.begin(3);
    h.read(3, 2, y);
    h.read(3, 1, t0);
    h.commit(3);
    EXPECT_THAT(h.found(), ElementsAre("causal-violation"));
}

TEST(Cycles, LongForkIsGNonadjacent) {
    HistoryScript h;
    h.begin(1);
    const auto x = h.write(1, 1, t0);
    h.commit(1);
    h.begin(2);
    const auto y = h.write(2, 2, t0);
    h.commit(2);
    h.begin(3);
    h.read(3, 1, x);
    h.read(3, 2, t0);
    h.commit(3);
    h.begin(4);
    h.read(4, 1, t0);
    h.read(4, 2, y);
    h.commit(4);
    EXPECT_THAT(h.found(), ElementsAre("G-nonadjacent"));
}

TEST(Cycles, SessionOrderMakesAProcessVariant) {
    HistoryScript h;
    h.begin(1, IsolationLevel::serializable, 7);
    h.write(1, 1, t0);
    h.commit(1);
    h.begin(2, IsolationLevel::serializable, 7);
    h.read(2, 1, t0);
    h.commit(2);
    EXPECT_THAT(h.found(), ElementsAre("fractured-read-process"));

    EngineOptions without;
    without.session_order = false;
    HistoryScript same{without};
    same.begin(1, IsolationLevel::serializable, 7);
    same.write(1, 1, t0);
    same.commit(1);
    same.begin(2, IsolationLevel::serializable, 7);
    same.read(2, 1, t0);
    same.commit(2);
    EXPECT_THAT(same.found(), IsEmpty());
}

TEST(Cycles, RealTimeOrderMakesARealTimeVariant) {
    for (const bool real_time : {false, true}) {
        EngineOptions options;
        options.real_time_order = real_time;
        HistoryScript h{options};
        h.begin(1);
        h.write(1, 1, t0);
        h.commit(1);
        h.begin(2);
        h.read(2, 1, t0);
        h.commit(2);
        const auto names = h.found();
        if (real_time) {
            ASSERT_THAT(names, ElementsAre("G-single-realtime"));
            const Anomaly& anomaly = h.engine().anomalies()[0];
            ASSERT_EQ(anomaly.edges.size(), 2U);
            EXPECT_EQ(anomaly.edges[1].kind, EdgeKind::real_time);
            EXPECT_EQ(anomaly.edges[1].from, history::TransactionId{1});
            EXPECT_EQ(anomaly.edges[1].to, history::TransactionId{2});
        } else {
            EXPECT_THAT(names, IsEmpty());
        }
    }
}

/// The connection died during COMMIT, and the server committed whenever it did.
TEST(Cycles, AnUnknownOutcomeHasNoEndInRealTime) {
    for (const bool known : {false, true}) {
        EngineOptions options;
        options.real_time_order = true;
        HistoryScript h{options};
        h.begin(1);
        const auto x = h.write(1, 1, t0);
        if (known) {
            h.commit(1);
        } else {
            h.vanish(1);
        }
        h.begin(2);
        h.read(2, 1, t0);
        h.commit(2);
        h.begin(3);
        h.read(3, 1, x);
        h.commit(3);
        EXPECT_EQ(h.found().size(), known ? 1U : 0U);
    }
}

TEST(Cycles, CurrentReadInASnapshotIsExcused) {
    for (const auto level : {IsolationLevel::repeatable_read, IsolationLevel::serializable}) {
        HistoryScript h;
        h.begin(1, level);
        h.begin(2, level);
        h.read(1, 1, t0);
        h.write(2, 1, t0);
        const auto y = h.write(2, 2, t0);
        h.commit(2);
        h.lock(1, 2, y);
        h.commit(1);
        if (level == IsolationLevel::repeatable_read) {
            EXPECT_THAT(h.found(), IsEmpty());
            EXPECT_EQ(h.engine().statistics().excused, 1U);
        } else {
            EXPECT_THAT(h.found(), ElementsAre("fractured-read"));
        }
    }
}

/// Of the snapshot, or of what is current: it agrees with either, and with another of its kind.
TEST(Cycles, DoubtfulReadInASnapshotIsExcused) {
    using Look = void (*)(HistoryScript&, history::Version);
    const Look plain = [](HistoryScript& h, history::Version seen) { h.read(1, 1, seen); };
    const Look locking = [](HistoryScript& h, history::Version seen) { h.lock(1, 1, seen); };
    const Look doubtful = [](HistoryScript& h, history::Version seen) { h.doubt(1, 1, seen); };
    for (const auto& [first, second] : {std::pair{plain, doubtful}, std::pair{doubtful, locking},
                                        std::pair{doubtful, doubtful}}) {
        HistoryScript h;
        h.begin(1, IsolationLevel::repeatable_read);
        h.begin(2, IsolationLevel::repeatable_read);
        first(h, t0);
        const auto y = h.write(2, 1, t0);
        h.commit(2);
        second(h, y);
        h.commit(1);
        EXPECT_THAT(h.found(), IsEmpty());
    }
}

/// Nobody has asked for a lock: the transaction shows one version and decides by another one. But
/// no look at its snapshot has shown the second.
TEST(Cycles, CurrentReadThatAWriteWentByIsNotExcused) {
    for (const auto level : {IsolationLevel::repeatable_read, IsolationLevel::serializable}) {
        const bool snapshot = level == IsolationLevel::repeatable_read;
        for (const HistoryScript::Row decisive : {1U, 2U}) {
            HistoryScript h;
            h.begin(1, level);
            h.begin(2, level);
            h.read(1, 1, t0);
            const auto x = h.write(2, 1, t0);
            const auto y = h.write(2, 2, t0);
            h.commit(2);
            h.write_by(1, decisive, decisive == 1 ? x : y, 3, t0);
            h.commit(1);
            EXPECT_THAT(h.found(), ElementsAre(snapshot        ? "G-single"
                                               : decisive == 1 ? "non-repeatable-read"
                                                               : "fractured-read"));
        }
    }
}

TEST(Cycles, EachIsToldOnce) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    for (HistoryScript::Row row = 1; row <= 4; ++row) {
        h.read(1, row, t0);
        h.read(2, row, t0);
    }
    h.write(1, 1, t0);
    h.write(1, 2, t0);
    h.write(2, 3, t0);
    h.write(2, 4, t0);
    h.commit(1);
    h.commit(2);
    h.engine().search();
    h.engine().search();
    EXPECT_THAT(h.found(), ElementsAre("G2-item"));
}

}  // namespace
}  // namespace isotap::analysis::testing
