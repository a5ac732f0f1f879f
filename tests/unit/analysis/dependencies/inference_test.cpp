// Which edges the history proves, shown by the cycles that they make or do not make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using history::AccessKind;
using history::Version;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Version by(std::uint64_t transaction, std::uint32_t statement) {
    return Version::written_by({history::TransactionId{transaction}, statement});
}

TEST(Inference, ListsAloneMakeAllEdges) {
    // The motivating history of the wList: appends that know nothing of one another, and one who
    // reads the list afterwards.
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    const auto x = h.write(2, 1, Version{});
    const auto y2 = h.write(2, 2, Version{});
    h.commit(2);
    const auto y1 = h.write(1, 2, Version{});
    h.commit(1);
    h.begin(3);
    h.list(3, 1, {t0, x});
    h.list(3, 2, {t0, y2, y1});
    h.commit(3);
    EXPECT_THAT(h.found(), ElementsAre("G-single"));
}

TEST(Inference, TheSuccessorMustBeImmediate) {
    HistoryScript h;
    h.begin(1);
    h.read(1, 1, t0);
    h.commit(1);
    h.begin(2);
    h.list(2, 1, {by(8, 1), by(9, 1)}, 3);  // three are missing: none of these follows T0
    h.commit(2);
    h.engine().finish();
    for (const auto& anomaly : h.engine().anomalies()) {
        ADD_FAILURE() << name_of(anomaly.kind);
    }
    EXPECT_EQ(h.engine().statistics().edges, 0U);
}

TEST(Inference, AListMayShowWhatIsUndoneLater) {
    for (const bool undone_first : {false, true}) {
        HistoryScript h;
        h.begin(1);
        h.savepoint(1, history::SavepointAction::set);
        h.list(1, 1, {t0, by(1, 2)});  // all that is told of this write
        h.savepoint(1, history::SavepointAction::roll_back);
        h.begin(2);
        h.write(2, 1, t0);
        h.commit(undone_first ? 1 : 2);
        h.commit(undone_first ? 2 : 1);
        EXPECT_THAT(h.found(), IsEmpty());
    }
}

/// A recording went on in another file between SAVEPOINT and ROLLBACK TO, and that one is read
/// alone.
TEST(Inference, ASavepointOfWhichNothingIsKnownStandsBeforeAllThatIs) {
    HistoryScript h;
    h.begin(1);
    h.tell(history::Gap{history::SessionId{1}, history::TransactionId{1}, h.tick(), 1, {}});
    h.write(1, 1, t0);
    h.savepoint(1, history::SavepointAction::roll_back);
    h.commit(1);
    h.begin(2);
    h.write(2, 1, t0);
    h.commit(2);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().verdict(), Verdict::unknown);
}

/// Servers compare names by more than their bytes.
TEST(Inference, WhoGoesBackToASavepointByAnotherNameIsInDoubt) {
    HistoryScript h;
    h.begin(1);
    h.write(1, 1, t0);
    h.savepoint(1, history::SavepointAction::roll_back);
    h.commit(1);
    h.begin(2);
    h.write(2, 1, t0);
    h.commit(2);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().statistics().transactions.indeterminate, 1U);
    EXPECT_EQ(h.engine().verdict(), Verdict::unknown);
}

TEST(Inference, ADeleteIsAWrite) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.read(2, 2, t0);
    h.remove(2, 1, t0);
    h.remove(1, 2, t0);
    h.commit(1);
    h.commit(2);
    EXPECT_THAT(h.found(), ElementsAre("G2-item"));
}

TEST(Inference, ARowMayBeBornTwice) {
    HistoryScript h;
    h.begin(1);
    const auto first = h.insert(1, 1);
    h.commit(1);
    h.begin(2);
    h.remove(2, 1, first);
    h.commit(2);
    h.begin(3);
    const auto second = h.insert(3, 1);
    h.commit(3);
    h.begin(4);
    h.read(4, 1, second);
    h.commit(4);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().verdict(), Verdict::clean);
}

TEST(Inference, EventsOfAWriterMayComeAfterThoseOfItsReader) {
    // Write skew, told by the second session only when the first one is long over.
    HistoryScript h;
    const auto y = by(2, 2);
    h.begin(1);
    h.read(1, 1, t0);
    h.write(1, 2, t0);
    h.commit(1);
    h.begin(3);
    h.read(3, 3, y);
    h.commit(3);
    h.engine().search();
    h.begin(2);
    h.read(2, 2, t0);
    h.write(2, 3, t0);
    h.write(2, 1, t0);
    h.commit(2);
    EXPECT_THAT(h.found(), ElementsAre("G2-item"));
}

TEST(Inference, AServersOwnNumberIsResolvedWhenItsAliasComes) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.write(1, 1, t0);
    h.write(2, 2, t0);
    h.read(1, 2, Version::foreign(702));
    h.read(2, 1, Version::foreign(701));
    h.commit(1);
    h.commit(2);
    h.tell(history::Alias{history::TransactionId{1}, 701});
    h.tell(history::Alias{history::TransactionId{2}, 702});
    EXPECT_THAT(h.found(), ElementsAre("G1c"));
}

TEST(Inference, AServersOwnNumberWithoutAliasIsThePast) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, Version::foreign(5));
    h.read(1, 2, Version::foreign(5));
    h.read(2, 1, Version::foreign(5));
    h.read(2, 2, Version::foreign(5));
    h.write(1, 1, Version::foreign(5));
    h.write(2, 2, Version::foreign(5));
    h.commit(1);
    h.commit(2);
    EXPECT_THAT(h.found(), ElementsAre("G2-item"));
}

TEST(Inference, AListSaysWhatWasFirst) {
    HistoryScript h;
    h.begin(1);
    const auto x = h.insert(1, 1);
    h.commit(1);
    h.begin(2);
    const auto x2 = h.write(2, 1, Version{});
    h.commit(2);
    h.begin(3);
    h.list(3, 1, {x, x2});
    h.commit(3);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().statistics().edges, 2U);  // ww 1 -> 2, wr 2 -> 3
}

TEST(Inference, ContradictingEventsAreCountedNotBelieved) {
    HistoryScript h;
    h.read(1, 1, t0);  // never began
    h.begin(2);
    h.begin(2);  // began twice
    h.commit(2);
    h.commit(2);  // ended twice
    h.read(2, 1, t0);
    EXPECT_THAT(h.found(), IsEmpty());
    EXPECT_EQ(h.engine().statistics().gaps, 4U);
    EXPECT_EQ(h.engine().verdict(), Verdict::unknown);
}

}  // namespace
}  // namespace isotap::analysis::testing
