// TRUNCATE: who had read or written the rows of a table comes before who emptied it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::IsolationLevel;
using history::SavepointAction;
using history::Version;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr history::NameId other_table{2};
constexpr IsolationLevel current = IsolationLevel::read_committed;

/// 1 reads a row that 2 changes before it empties another table.
struct Emptying {
    explicit Emptying(IsolationLevel level = current) {
        h.begin(1, level);
        h.read(1, 1, t0);
        h.begin(2, current);
        h.write(2, 1, t0);
        h.in = other_table;
    }
    /// 2 comes to its end, then 1 empties the table.
    std::vector<std::string> found() {
        h.commit(2);
        h.empty(1);
        h.commit(1);
        return h.found();
    }
    HistoryScript h;
};

TEST(Emptied, WhoWroteARowComesBefore) {
    Emptying e;
    e.h.insert(2, 5);
    EXPECT_THAT(e.found(), ElementsAre("G-single-predicate"));
    const Anomaly& anomaly = e.h.engine().anomalies()[0];
    EXPECT_EQ(plain_name(anomaly), "read-write skew");
    const CycleEdge& last = anomaly.edges[1];
    EXPECT_TRUE(last.emptied && last.predicate);
    EXPECT_EQ(last.kind, EdgeKind::ww);
    EXPECT_EQ(last.table, other_table);
    EXPECT_EQ(last.row, HistoryScript::row_key(5));
    EXPECT_EQ(last.from_statement, 2U);
    EXPECT_EQ(last.to_statement, 2U);
}

TEST(Emptied, WhoReadARowComesBefore) {
    Emptying e;
    e.h.read(2, 5, t0);
    EXPECT_THAT(e.found(), ElementsAre("G2"));
    EXPECT_EQ(plain_name(e.h.engine().anomalies()[0]), "write skew");
}

TEST(Emptied, AManyTimesTouchedTableIsOneEdgeForEach) {
    Emptying e;
    for (HistoryScript::Row row = 5; row < 50; ++row) {
        e.h.insert(2, row);
    }
    EXPECT_THAT(e.found(), ElementsAre("G-single-predicate"));
    EXPECT_EQ(e.h.engine().statistics().edges, 2U);
}

TEST(Emptied, OtherTablesAreNotConcerned) {
    Emptying e;
    e.h.in = history::NameId{3};
    e.h.insert(2, 5);
    e.h.in = other_table;
    EXPECT_THAT(e.found(), IsEmpty());
}

TEST(Emptied, WhatWasUndoneTouchedNothing) {
    for (const bool emptying : {false, true}) {
        Emptying e;
        const HistoryScript::Id undone = emptying ? 1 : 2;
        if (emptying) {
            e.h.insert(2, 5);
            e.h.commit(2);
        }
        e.h.savepoint(undone, SavepointAction::set);
        emptying ? e.h.empty(1) : void(e.h.insert(2, 5));
        e.h.savepoint(undone, SavepointAction::roll_back);
        if (!emptying) {
            e.h.commit(2);
            e.h.empty(1);
        }
        e.h.commit(1);
        EXPECT_THAT(e.h.found(), IsEmpty()) << emptying;
    }
}

TEST(Emptied, AnAbortedOneEmptiedNothing) {
    Emptying e;
    e.h.insert(2, 5);
    e.h.commit(2);
    e.h.empty(1);
    e.h.abort(1);
    EXPECT_THAT(e.h.found(), IsEmpty());
    EXPECT_EQ(e.h.engine().statistics().edges, 0U);
}

TEST(Emptied, ARowThatWasDeletedIsNotThereAnyMore) {
    Emptying e;
    const Version made = e.h.insert(2, 5);
    e.h.remove(2, 5, made);
    EXPECT_THAT(e.found(), IsEmpty());
}

TEST(Emptied, WhoEndedLaterMayHaveComeLater) {
    Emptying e;
    e.h.insert(2, 5);
    e.h.empty(1);
    e.h.commit(1);
    e.h.commit(2);
    EXPECT_THAT(e.h.found(), IsEmpty());
}

/// A snapshot does not keep TRUNCATE from what was written since: no promise covers that.
TEST(Emptied, FromASnapshotOnlyWhatItShowsIsTold) {
    for (const IsolationLevel level :
         {IsolationLevel::repeatable_read, IsolationLevel::serializable, IsolationLevel::unknown}) {
        Emptying e(level);
        e.h.insert(2, 5);
        EXPECT_THAT(e.found(), IsEmpty());
    }
    HistoryScript h;
    h.begin(3, current);
    const Version made = h.insert(3, 5);
    h.commit(3);
    h.begin(1, IsolationLevel::repeatable_read);
    h.begin(2, IsolationLevel::repeatable_read);
    h.read(2, 5, made);
    h.in = other_table;
    h.read(1, 1, t0);
    h.write(2, 1, t0);
    h.in = HistoryScript::table;
    h.commit(2);
    h.empty(1);
    h.commit(1);
    EXPECT_THAT(h.found(), ElementsAre("G2")) << "write skew, as with DELETE";
}

TEST(Emptied, WhatComesAfterwardsBelongsToTheNextOne) {
    HistoryScript h;
    h.begin(1, current);
    h.insert(1, 5);
    h.commit(1);
    h.begin(2, current);
    h.empty(2);
    const Version again = h.insert(2, 5);
    h.commit(2);
    h.begin(3, current);
    h.read(3, 5, again);
    h.commit(3);
    h.begin(4, current);
    h.empty(4);
    h.commit(4);
    EXPECT_THAT(h.found(), IsEmpty());
    // 1 before 2; 2 before 3; 2 and 3 before 4. Not 1 before 4: 2 came in between.
    EXPECT_EQ(h.engine().statistics().edges, 4U);
}

/// The server's own number, and nobody knows whose it is: it was there when somebody saw it.
TEST(Emptied, AVersionOfTheTimeBeforeIsKnownByItsReaders) {
    for (const bool early : {false, true}) {
        HistoryScript h;
        h.begin(1, current);
        h.begin(2, current);
        h.read(2, 5, Version::foreign(88));
        if (early) {
            h.begin(3, current);
            h.read(3, 5, Version::foreign(88));
            h.commit(3);
        }
        h.empty(1);
        h.commit(1);
        h.commit(2);
        h.found();
        EXPECT_EQ(h.engine().statistics().edges, early ? 2U : 0U);
    }
}

TEST(Emptied, NothingIsToldBeforeAllHasArrived) {
    Emptying e;
    e.h.insert(2, 5);
    e.h.empty(1);
    const Time requested = e.h.tick();
    e.h.tell(history::TransactionEnded{history::TransactionId{1}, requested, requested,
                                       history::Outcome::committed, false});
    e.h.engine().search();
    EXPECT_EQ(e.h.engine().statistics().edges, 0U);
    ASSERT_TRUE(e.h.engine().due().has_value());
    // 2 had ended before, and says so late.
    const Time before = requested - std::chrono::microseconds{1};
    e.h.tell(history::TransactionEnded{history::TransactionId{2}, before, before,
                                       history::Outcome::committed, false});
    e.h.engine().pass_time(*e.h.engine().due());
    EXPECT_EQ(e.h.engine().statistics().edges, 2U);
    EXPECT_FALSE(e.h.engine().due().has_value());
}

TEST(Emptied, ConditionsTellNothingOfATableThatWasEmptied) {
    for (const bool emptied : {false, true}) {
        HistoryScript h;
        h.begin(9, current);
        h.begin(1, current);
        const Version x = h.insert(1, 1);
        h.in = other_table;
        const Version z = h.insert(1, 3);
        h.in = HistoryScript::table;
        h.commit(1);
        if (emptied) {
            h.begin(2, current);
            h.empty(2);
            h.commit(2);
        }
        h.tell(history::PredicateRead{{history::TransactionId{9}, 1},
                                      history::PredicateId{1},
                                      HistoryScript::table,
                                      "on_call"});
        h.in = other_table;
        h.read(9, 3, z);
        h.commit(9);
        h.tell(history::PredicateMatch{history::PredicateId{1},
                                       {history::TransactionId{1}, x.statement},
                                       HistoryScript::row_key(1),
                                       false,
                                       true});
        if (emptied) {
            EXPECT_THAT(h.found(), IsEmpty());
        } else {
            EXPECT_THAT(h.found(), ElementsAre("G-single-predicate"));
        }
    }
}

/// For ever: what is emptied again and again leaves nothing behind.
TEST(Emptied, ManyOfThemLeaveNothingBehind) {
    EngineOptions options;
    options.search_every = 64;
    options.arrival_skew = std::chrono::milliseconds{1};
    HistoryScript h(options);
    for (HistoryScript::Id t = 1; t < 4'000; t += 2) {
        h.begin(t, current, 1);
        for (HistoryScript::Row row = 0; row < 20; ++row) {
            h.insert(t, row);
        }
        h.commit(t);
        h.begin(t + 1, current, 2);
        h.empty(t + 1);
        h.commit(t + 1);
    }
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_LE(h.engine().statistics().live, 1U);
    EXPECT_EQ(h.engine().verdict(), Verdict::clean);
}

}  // namespace
}  // namespace isotap::analysis::testing
