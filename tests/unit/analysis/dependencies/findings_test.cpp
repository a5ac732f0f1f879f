// Anomalies that show in the versions themselves, without a cycle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::IsolationLevel;
using history::SavepointAction;
using history::Version;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Findings, ReadOfAnAbortedWriteIsG1a) {
    for (const bool reader_first : {false, true}) {
        HistoryScript h;
        h.begin(1);
        h.begin(2);
        const auto x = h.write(1, 1, t0);
        h.read(2, 1, x);
        if (reader_first) {
            h.commit(2);
            h.abort(1);
        } else {
            h.abort(1);
            h.commit(2);
        }
        ASSERT_THAT(h.found(), ElementsAre("G1a"));
        const Anomaly& anomaly = h.engine().anomalies()[0];
        ASSERT_EQ(anomaly.edges.size(), 1U);
        EXPECT_EQ(anomaly.edges[0].from, history::TransactionId{1});
        EXPECT_EQ(anomaly.edges[0].to, history::TransactionId{2});
        EXPECT_EQ(anomaly.edges[0].version, x);
    }
}

TEST(Findings, AnAbortedReaderSawNothing) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(2, 1, h.write(1, 1, t0));
    h.abort(1);
    h.abort(2);
    EXPECT_THAT(h.found(), IsEmpty());
}

TEST(Findings, ReadOfAnIntermediateVersionIsG1b) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    const auto x = h.write(1, 1, t0);
    h.read(2, 1, x);
    h.write(1, 1, x);
    h.commit(1);
    h.commit(2);
    // It came after the first write and before the second one: a cycle besides.
    EXPECT_THAT(h.found(), ElementsAre("G1b", "non-repeatable-read"));
}

TEST(Findings, ReadOfWhatASavepointTookBackIsG1a) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.savepoint(1, SavepointAction::set);
    const auto x = h.write(1, 1, t0);
    h.read(2, 1, x);
    h.savepoint(1, SavepointAction::roll_back);
    h.read(1, 1, t0);
    const auto again = h.write(1, 1, t0);
    h.commit(1);
    h.commit(2);
    h.begin(3);
    h.read(3, 1, again);
    h.commit(3);
    EXPECT_THAT(h.found(), ElementsAre("G1a"));
}

TEST(Findings, WriteOnTopOfAnAbortedOneIsADirtyUpdate) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    const auto x = h.write(1, 1, t0);
    h.write(2, 1, x);
    h.commit(2);
    h.abort(1);
    EXPECT_THAT(h.found(), ElementsAre("dirty-update"));
}

TEST(Findings, TwoSuccessorsOfOneVersionAreAFork) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.write(1, 1, t0);
    h.write(2, 1, t0);
    h.commit(1);
    h.commit(2);
    ASSERT_THAT(h.found(), ElementsAre("incompatible-order"));
    EXPECT_EQ(h.engine().anomalies()[0].edges.size(), 2U);
}

TEST(Findings, AnAbortedSuccessorIsNoFork) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.begin(3);
    h.write(1, 1, t0);
    h.abort(1);
    const auto x = h.write(2, 1, t0);
    h.commit(2);
    h.list(3, 1, {t0, x});
    h.commit(3);
    EXPECT_THAT(h.found(), IsEmpty());
}

TEST(Findings, AnUpdateThatWritesWhatIsThereMayLoseOneAllTheSame) {
    HistoryScript h;
    h.begin(1, IsolationLevel::repeatable_read);
    h.begin(2, IsolationLevel::repeatable_read);
    h.read(1, 1, t0);
    h.read(2, 1, t0);
    const auto x = h.write(1, 1, t0);
    h.commit(1);
    h.write_the_same(2, 1, x);
    h.read(2, 1, t0);  // its snapshot goes on to show what it showed
    h.commit(2);
    h.begin(3);
    h.write(3, 1, x);
    h.commit(3);
    EXPECT_THAT(h.found(), ElementsAre("lost-update"));
}

TEST(Findings, WritingWhatIsThereOneAfterTheOtherLosesNothing) {
    HistoryScript h;
    auto x = t0;
    for (std::uint64_t id = 1; id < 9; id += 2) {
        h.begin(id);
        h.read(id, 1, x);
        h.write_the_same(id, 1, x);
        h.commit(id);
        h.begin(id + 1);
        h.read(id + 1, 1, x);
        x = h.write(id + 1, 1, x);
        h.write_the_same(id + 1, 1, x);
        h.commit(id + 1);
    }
    EXPECT_THAT(h.found(), IsEmpty());
}

TEST(Findings, OwnWritesMustBeSeen) {
    for (const auto level : {IsolationLevel::repeatable_read, IsolationLevel::serializable}) {
        HistoryScript h;
        h.begin(1, level);
        h.write(1, 1, t0);
        h.read(1, 1, t0);
        h.commit(1);
        EXPECT_THAT(h.found(), ElementsAre("internal"));
    }
}

TEST(Findings, ACursorMayShowLateWhatItsStatementSaw) {
    for (const auto level : {IsolationLevel::read_committed, IsolationLevel::repeatable_read,
                             IsolationLevel::serializable}) {
        HistoryScript h;
        h.begin(1, level);
        h.read(1, 1, t0);
        const auto own = h.write(1, 2, t0);
        h.tell(history::Access{{history::TransactionId{1}, 1},
                               HistoryScript::table,
                               HistoryScript::row_key(2),
                               history::AccessKind::read,
                               t0,
                               {}});
        h.read(1, 2, own);
        h.commit(1);
        EXPECT_THAT(h.found(), IsEmpty());
    }
}

TEST(Findings, ASnapshotMayShowTheRowThatHadTheKeyBefore) {
    HistoryScript h;
    h.begin(1);
    h.read(1, 1, t0);
    h.begin(2);
    h.remove(2, 1, t0);
    h.commit(2);
    const auto own = h.insert(1, 1);
    h.read(1, 1, t0);
    h.read(1, 1, own);
    h.read(1, 1, t0);
    h.commit(1);
    EXPECT_THAT(h.found(), IsEmpty());
}

/// InnoDB: another one moved the row to another key, the write found it there, the snapshot shows
/// it at its old place.
TEST(Findings, ASnapshotMayShowTheRowWhereItWasBeforeAnotherOneMovedIt) {
    for (const auto level : {IsolationLevel::repeatable_read, IsolationLevel::serializable}) {
        HistoryScript h;
        h.begin(1, level);
        h.read(1, 1, t0);
        h.begin(2, level);
        const auto moved = h.write(2, 1, t0);
        h.commit(2);
        h.write(1, 1, moved);
        h.read(1, 1, t0);
        h.commit(1);
        const bool told = level == IsolationLevel::serializable;
        EXPECT_THAT(h.found(), Contains("internal").Times(told ? 1 : 0));
        EXPECT_EQ(h.engine().statistics().excused, told ? 0U : 1U);
    }
}

TEST(Findings, OwnWritesMustNotBeSeenBeforehand) {
    HistoryScript h;
    h.begin(1);
    h.read(1, 1, Version::written_by({history::TransactionId{1}, 2}));
    h.write(1, 1, t0);
    h.commit(1);
    EXPECT_THAT(h.found(), ElementsAre("future-read"));
}

TEST(Findings, TwoReadsThatDiffer) {
    HistoryScript h;
    h.begin(1, IsolationLevel::read_committed);
    h.begin(2, IsolationLevel::read_committed);
    h.read(1, 1, t0);
    const auto x = h.write(2, 1, t0);
    h.commit(2);
    h.read(1, 1, x);
    h.commit(1);
    EXPECT_THAT(h.found(), ElementsAre("non-repeatable-read"));
}

TEST(Findings, GarbageOnlyWhereAllWritersAreKnown) {
    for (const bool all_known : {false, true}) {
        EngineOptions options;
        options.every_writer_known = all_known;
        HistoryScript h{options};
        h.begin(1);
        h.read(1, 1, Version::written_by({history::TransactionId{99}, 1}));
        h.commit(1);
        if (all_known) {
            EXPECT_THAT(h.found(), ElementsAre("garbage-read"));
        } else {
            EXPECT_THAT(h.found(), IsEmpty());
            EXPECT_EQ(h.engine().statistics().unresolved, 1U);
        }
    }
}

TEST(Findings, AnUnknownOutcomeCountsAsCommittedOnceSeen) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.read(2, 2, t0);
    const auto y = h.write(1, 2, t0);
    h.write(2, 1, t0);
    h.vanish(1);
    h.commit(2);
    h.engine().search();
    EXPECT_THAT(h.engine().anomalies(), IsEmpty());
    h.begin(3);
    h.read(3, 2, y);
    h.commit(3);
    EXPECT_THAT(h.found(), ElementsAre("G2-item"));
    EXPECT_EQ(h.engine().anomalies()[0].transactions.size(), 2U);
}

TEST(Findings, ADirtyReadDoesNotProveACommit) {
    HistoryScript h;
    h.begin(1);
    const auto x = h.write(1, 1, t0);
    h.begin(2, IsolationLevel::read_uncommitted);
    h.read(2, 1, x);
    h.commit(2);
    h.vanish(1);
    h.begin(3);
    h.write(3, 1, t0);
    h.commit(3);
    EXPECT_THAT(h.found(), IsEmpty());
}

TEST(Findings, WhatIsLostIsNeverClean) {
    HistoryScript h;
    h.begin(1);
    h.read(1, 1, t0);
    h.tell(history::Gap{history::SessionId{1}, {}, h.tick(), 3, {}});
    h.commit(1);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().statistics().transactions.incomplete, 1U);
    EXPECT_EQ(h.engine().statistics().gaps, 3U);
    EXPECT_EQ(h.engine().verdict(), Verdict::unknown);
}

}  // namespace
}  // namespace isotap::analysis::testing
