// Rows that a condition would have matched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::PredicateId;
using history::StatementRef;
using history::TransactionId;
using history::Version;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

void reads_by(HistoryScript& h, std::uint64_t transaction, std::uint32_t statement,
              std::uint64_t predicate) {
    h.tell(history::PredicateRead{{TransactionId{transaction}, statement},
                                  PredicateId{predicate},
                                  HistoryScript::table,
                                  "on_call"});
}

void matches(HistoryScript& h, std::uint64_t predicate, const Version& written, std::uint64_t row,
             bool before, bool after) {
    h.tell(history::PredicateMatch{PredicateId{predicate},
                                   {TransactionId{written.writer}, written.statement},
                                   HistoryScript::row_key(row),
                                   before,
                                   after});
}

/// Two transactions each look for rows that match, find none, and insert one.
TEST(Predicates, TwoInsertsThatEachMissTheOtherAreG2) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    reads_by(h, 1, 1, 1);
    reads_by(h, 2, 1, 2);
    const auto x = h.insert(1, 1);
    const auto y = h.insert(2, 2);
    h.commit(1);
    h.commit(2);
    matches(h, 1, y, 2, false, true);
    matches(h, 2, x, 1, false, true);
    EXPECT_THAT(h.found(), ElementsAre("G2"));
    EXPECT_EQ(plain_name(h.engine().anomalies()[0]), "phantom");
    EXPECT_TRUE(h.engine().anomalies()[0].violates.has(Model::serializable));
    EXPECT_FALSE(h.engine().anomalies()[0].violates.has(Model::repeatable_read));
}

TEST(Predicates, ARowThatWasReturnedWasNotMissed) {
    HistoryScript h;
    h.begin(1);
    const auto x = h.insert(1, 1);
    h.commit(1);
    h.begin(2);
    reads_by(h, 2, 1, 1);
    h.read(2, 1, x);
    const auto y = h.insert(2, 2);
    h.commit(2);
    h.begin(3);
    h.read(3, 2, y);
    h.commit(3);
    matches(h, 1, x, 1, false, true);
    EXPECT_THAT(h.found(), IsEmpty());
}

/// The row matched for a while: who does not get it may have seen it before or after.
TEST(Predicates, ALaterVersionThatMayHaveBeenSeenLeavesADoubt) {
    for (const bool later : {false, true}) {
        HistoryScript h;
        h.begin(9);
        h.begin(1);
        const auto x = h.insert(1, 1);
        const auto z = h.insert(1, 3);
        h.commit(1);
        if (later) {
            h.begin(2);
            h.write(2, 1, x);  // no longer matches
            h.commit(2);
        }
        reads_by(h, 9, 1, 1);
        h.read(9, 3, z);
        h.commit(9);
        matches(h, 1, x, 1, false, true);
        if (later) {
            EXPECT_THAT(h.found(), IsEmpty());
        } else {
            EXPECT_THAT(h.found(), ElementsAre("G-single-predicate"));
        }
    }
}

TEST(Predicates, WhatStoppedToMatchFromTheBeginningWasSeen) {
    // 1 makes the initial row stop to match; 2 does not get it, so it saw 1, yet overwrote nothing
    // of 1: and 1 read what 2 wrote over.
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 2, t0);
    const auto x = h.write(1, 1, t0);
    reads_by(h, 2, 1, 1);
    h.write(2, 2, t0);
    h.commit(1);
    h.commit(2);
    matches(h, 1, x, 1, true, false);
    EXPECT_THAT(h.found(), IsEmpty());  // 1 before 2, both ways: no cycle
    EXPECT_EQ(h.engine().statistics().edges, 2U);
}

/// It matched before the write and after it: whoever does not get it has seen neither.
TEST(Predicates, ARowThatMatchedAtAnyTimeAndWasMissedIsACycle) {
    for (const bool got : {false, true}) {
        HistoryScript h;
        h.begin(1);
        h.begin(2);
        const auto x = h.write(1, 1, t0);
        reads_by(h, 2, 1, 1);
        if (got) h.read(2, 1, x);
        h.commit(1);
        h.commit(2);
        matches(h, 1, x, 1, true, true);
        if (got) {
            EXPECT_THAT(h.found(), IsEmpty());
        } else {
            EXPECT_THAT(h.found(), ElementsAre("G-single-predicate"));
        }
    }
}

/// The reader itself took the row away before it looked.
TEST(Predicates, ARowThatTheReaderDeletedWasNotMissed) {
    HistoryScript h;
    h.begin(1);
    const auto x = h.write(1, 1, t0);
    h.commit(1);
    h.begin(2);
    h.remove(2, 1, x);
    reads_by(h, 2, 2, 1);
    h.commit(2);
    matches(h, 1, x, 1, true, true);
    EXPECT_THAT(h.found(), IsEmpty());
}

TEST(Predicates, AnAbortedReaderOrWriterSaysNothing) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.begin(3);
    reads_by(h, 1, 1, 1);
    reads_by(h, 2, 1, 2);
    const auto x = h.insert(1, 1);
    const auto y = h.insert(2, 2);
    const auto z = h.insert(3, 3);
    matches(h, 1, y, 2, false, true);
    matches(h, 2, x, 1, false, true);
    matches(h, 2, z, 3, false, true);
    h.abort(1);
    h.abort(3);
    h.commit(2);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().statistics().edges, 0U);
}

}  // namespace
}  // namespace isotap::analysis::testing
