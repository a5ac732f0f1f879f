#include "analysis/registers/register_checker.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "analysis/history/history_builder.hpp"
#include "tests/unit/analysis/registers/answers.hpp"

namespace isotap::analysis {
namespace {

using history::Format;
using test::answer;
using test::answers;
using test::registers;

std::string types(std::string_view text, Model model, std::optional<Format> format = {}) {
    const auto read = registers(text, format);
    std::string names;
    for (const Anomaly& anomaly :
         RegisterChecker(read.history, read.writers).check(model).anomalies) {
        names += (names.empty() ? "" : " ") + name_of(anomaly.kind);
    }
    return names;
}

TEST(RegisterChecker, AnEmptyHistorySatisfiesEverything) {
    EXPECT_EQ(answers(registers("", Format::dbcop_hist)), "PPPPPP");
    EXPECT_EQ(answers(registers("[]\n---\n[] []")), "PPPPPP");
}

TEST(RegisterChecker, EachLevelHasAHistoryThatOnlyItForbids) {
    EXPECT_EQ(answers(registers("[x:=1 y:=1] \n---\n[x:=2 y:=2] \n---\n [x==1 y==2 x==2]")),
              "PFFFFF");
    EXPECT_EQ(answers(registers("[x:=1] [x:=2]\n---\n[x==2 y:=1]\n---\n[y==1] [x==1]")), "PPFFFF");
    EXPECT_EQ(answers(registers("[x:=1]\n---\n[y:=1]\n---\n[x==1 y==?]\n---\n[x==? y==1]")),
              "PPPFFF");
    EXPECT_EQ(answers(registers("[x==0 x:=1]\n---\n[x==0 x:=2]")), "PPPPFF");
    EXPECT_EQ(answers(registers("[x==0 y:=1]\n---\n[y==0 x:=1]")), "PPPPPF");
}

TEST(RegisterChecker, NamesWhatItFound) {
    EXPECT_EQ(types("[x:=1]!\n---\n[x==1]", Model::read_committed), "G1a");
    EXPECT_EQ(types("[x:=1 x:=2]\n---\n[x==1]", Model::read_committed), "G1b");
    EXPECT_EQ(types("[x==7]", Model::read_committed), "garbage-read");
    EXPECT_EQ(types("[x:=1 x==0]", Model::read_atomic), "internal");
    EXPECT_EQ(types("[x==1 x:=1]", Model::read_committed), "future-read");
    EXPECT_EQ(types("[x:=1 y==1]\n---\n[y:=1 x==1]", Model::read_committed), "G1c");
    EXPECT_EQ(types("[x:=1]\n---\n[x==0 x==1]", Model::read_atomic), "non-repeatable-read");
    EXPECT_EQ(types("[x==0 x:=1]\n---\n[x==0 x:=2]", Model::snapshot_isolation), "lost-update");
    EXPECT_EQ(types("[x==0 y:=1]\n---\n[y==0 x:=1]", Model::serializable), "G2-item");
}

TEST(RegisterChecker, PlainSnapshotIsolationLeavesSessionsOut) {
    const auto stale = registers("[x:=1] [x==0]");
    EXPECT_EQ(answer(stale, Model::snapshot_isolation), 'P');
    EXPECT_EQ(answer(stale, Model::strong_session_snapshot_isolation), 'F');
    EXPECT_EQ(answer(stale, Model::serializable), 'P');
    EXPECT_EQ(answer(stale, Model::strong_session_serializable), 'F');
}

TEST(RegisterChecker, StrictnessIsAboutRealTime) {
    const auto stale = registers(
        "{:type :invoke, :process 0, :f :txn, :value [[:w :x 1]]}\n"
        "{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}\n"
        "{:type :invoke, :process 1, :f :txn, :value [[:r :x nil]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:r :x nil]]}\n");
    EXPECT_EQ(answer(stale, Model::strong_session_serializable), 'P');
    EXPECT_EQ(answer(stale, Model::strict_serializable), 'F');
    EXPECT_EQ(answer(stale, Model::strong_snapshot_isolation), 'F');
}

TEST(RegisterChecker, AnIndeterminateTransactionMayCommitLongAfterItsEnd) {
    const std::string write = ":process 0, :f :txn, :value [[:w :x 1]]}\n";
    const std::string reads =
        "{:type :invoke, :process 1, :f :txn, :value [[:r :x nil]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:r :x nil]]}\n"
        "{:type :invoke, :process 2, :f :txn, :value [[:r :x nil]]}\n"
        "{:type :ok, :process 2, :f :txn, :value [[:r :x 1]]}\n";
    const std::string begun = "{:type :invoke, " + write;
    for (const auto& [end, expected] : {std::pair{"ok", 'F'}, std::pair{"info", 'P'}}) {
        const std::string text = begun + "{:type :" + end + ", " + write + reads;
        const auto late = registers(text);
        EXPECT_EQ(answer(late, Model::strict_serializable), expected) << end;
        EXPECT_EQ(answer(late, Model::strong_snapshot_isolation), expected) << end;
    }
}

/// A session whose client went on after it had lost sight of a commit.
TEST(RegisterChecker, AnIndeterminateTransactionMayCommitBehindWhatItsSessionDidNext) {
    using Kind = SearchAnswer::Kind;
    for (const auto& [outcome, expected] :
         {std::pair{history::Outcome::committed, Kind::violated},
          std::pair{history::Outcome::indeterminate, Kind::holds}}) {
        history::HistoryBuilder builder;
        const std::uint32_t session = builder.begin_session();
        builder.write(1, 10);
        builder.end_transaction(session, outcome);
        builder.read(1, history::initial_value);
        builder.end_transaction(session, history::Outcome::committed);
        builder.read(1, 10);
        builder.end_transaction(builder.begin_session(), history::Outcome::committed);
        const auto writers = history::WriterIndex::build(builder.history);
        ASSERT_TRUE(writers);
        const RegisterChecker checker(builder.history, *writers);
        for (const Model model : {Model::strong_session_serializable,
                                  Model::strong_session_snapshot_isolation, Model::causal}) {
            EXPECT_EQ(checker.check(model).kind, expected);
        }
    }
}

TEST(RegisterChecker, WithoutAnInitialStateAReadOfNothingIsGarbage) {
    EXPECT_EQ(types("r 0 0\n", Model::read_committed), "garbage-read");
    EXPECT_EQ(types("w 0 0\n-----\nr 0 0\n", Model::read_committed), "");
}

TEST(RegisterChecker, AnIndeterminateTransactionCountsOnceSomebodySawIt) {
    const std::string seen =
        "{:type :info, :process 0, :f :txn, :value [[:w :x 1] [:w :y 1]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:r :x 1] [:r :y nil]]}\n";
    EXPECT_EQ(types(seen, Model::read_atomic), "fractured-read");
    const std::string unseen =
        "{:type :info, :process 0, :f :txn, :value [[:w :x 1] [:w :y 1]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:r :x nil] [:r :y nil]]}\n";
    EXPECT_EQ(types(unseen, Model::strong_session_serializable), "");
}

/// As Cobra tells it: two clients died in a transaction that others saw, one of them the other's.
TEST(RegisterChecker, WhomAnIndeterminateTransactionSawCountsWithIt) {
    history::HistoryBuilder builder;
    builder.write(1, 10);
    builder.end_transaction(builder.begin_session(), history::Outcome::indeterminate);
    builder.read(1, 10);
    builder.write(2, 20);
    builder.end_transaction(builder.begin_session(), history::Outcome::indeterminate);
    builder.read(2, 20);
    builder.end_transaction(builder.begin_session(), history::Outcome::committed);
    const auto writers = history::WriterIndex::build(builder.history);
    ASSERT_TRUE(writers);
    const RegisterAnswer answer =
        RegisterChecker(builder.history, *writers).check(Model::strong_session_serializable);
    EXPECT_EQ(answer.kind, SearchAnswer::Kind::holds);
    EXPECT_EQ(answer.commits.size(), 3U);
}

TEST(RegisterChecker, ABoundThatIsHitMeansUnknown) {
    // Two writers of one key, seen in both orders by others: not by causality, so a search it is.
    const auto read =
        registers("[x:=1 y:=1]\n---\n[x:=2 y:=2]\n---\n[x==1 y==2]\n---\n[x==2 y==1]");
    const ResolvedHistory resolved(read.history, read.writers);
    SearchOptions tiny;
    tiny.steps_max = 0;
    const SearchAnswer none = search_version_order(resolved, SearchedLevel::prefix, tiny);
    EXPECT_NE(none.kind, SearchAnswer::Kind::holds);
    SearchOptions few;
    few.transactions_max = 1;
    EXPECT_NE(search_version_order(resolved, SearchedLevel::prefix, few).kind,
              SearchAnswer::Kind::holds);
}

TEST(RegisterChecker, AModelThatItCannotDecideIsUnknown) {
    const auto read = registers("[x:=1]");
    const RegisterAnswer answer =
        RegisterChecker(read.history, read.writers).check(Model::cursor_stability);
    EXPECT_EQ(answer.kind, SearchAnswer::Kind::unknown);
    EXPECT_EQ(answer.reason,
              "cursor-stability is not decided where the order of writes is not known");
}

TEST(RegisterChecker, ASerialOrderIsAProof) {
    const auto read = registers("[x==1 y:=1]\n---\n[x:=1]");
    const RegisterAnswer answer =
        RegisterChecker(read.history, read.writers).check(Model::strong_session_serializable);
    ASSERT_EQ(answer.commits.size(), 2U);
    EXPECT_EQ(answer.commits[0], history::TransactionId{2});
}

TEST(RegisterChecker, CyclesTellRowsAndStatements) {
    const auto read = registers("[x==0 x:=1]\n---\n[x==0 x:=2]");
    const RegisterAnswer answer =
        RegisterChecker(read.history, read.writers).check(Model::snapshot_isolation);
    ASSERT_EQ(answer.anomalies.size(), 1U);
    const Anomaly& anomaly = answer.anomalies[0];
    ASSERT_EQ(anomaly.edges.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(anomaly.edges[i].to, anomaly.edges[(i + 1) % 2].from);
        if (anomaly.edges[i].kind == EdgeKind::rw) {
            EXPECT_EQ(anomaly.edges[i].version, history::Version::initial());
            EXPECT_EQ(anomaly.edges[i].from_statement, 1U);
            EXPECT_EQ(anomaly.edges[i].to_statement, 2U);
        }
    }
    EXPECT_EQ(anomaly.transactions.size(), 2U);
}

}  // namespace
}  // namespace isotap::analysis
