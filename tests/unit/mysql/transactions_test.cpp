#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/mysql/packets.hpp"
#include "tests/unit/mysql/wire.hpp"

namespace isotap::mysql {
namespace {

using test::autocommit;
using test::error;
using test::in_transaction;
using test::more_results;
using test::ok;
using test::query;
using test::result_set;
using test::Wire;
using ::testing::ElementsAreArray;

constexpr std::uint16_t open = autocommit | in_transaction;
constexpr std::uint16_t manual = 0;
constexpr std::uint16_t manual_open = in_transaction;

struct Step {
    std::string_view sql;
    std::string reply;
};

/// The events of a session that runs these statements, without its first one.
std::vector<std::string> history_of(const std::vector<Step>& steps, bool closes = false,
                                    Capabilities capabilities = test::plain_capabilities) {
    Wire wire;
    wire.log_in(capabilities);
    for (const Step& step : steps) {
        wire.exchange(query(step.sql), step.reply);
    }
    if (closes) {
        wire.close();
    }
    EXPECT_FALSE(wire.blind);
    return {wire.events().begin() + 1, wire.events().end()};
}

using Lines = std::vector<std::string>;

TEST(MysqlTransactions, AStatementAloneIsATransaction) {
    EXPECT_EQ(history_of({{"UPDATE t SET a=1", ok(1, autocommit, 3)}, {"x", error(1, 1064)}}),
              (Lines{"1 began alone", "1 RR default", "1.1 UPDATE t SET a=1", "1.1 completed 3",
                     "1 committed", "2 began alone", "2 RR default", "2.1 x",
                     "2.1 failed 0 1064 HY000", "2 aborted"}));
}

TEST(MysqlTransactions, LastFromBeginToCommit) {
    EXPECT_EQ(
        history_of(
            {{"BEGIN", ok(1, open)}, {"SELECT a", result_set(1, 2, open)}, {"COMMIT", ok(1)}}),
        (Lines{"1 began", "1 RR default", "1.1 BEGIN", "1.1 completed 0", "1.2 SELECT a",
               "1.2 completed 2", "1.3 COMMIT", "1.3 completed 0", "1 committed"}));
}

TEST(MysqlTransactions, RollbackAborts) {
    EXPECT_EQ(history_of({{"START TRANSACTION", ok(1, open)}, {"ROLLBACK", ok(1)}}).back(),
              "1 aborted");
}

TEST(MysqlTransactions, ADeadlockEndsTheTransactionAtOnce) {
    EXPECT_EQ(
        history_of({{"BEGIN", ok(1, open)},
                    {"UPDATE t SET a=1", error(1, 1213, "40001")},
                    {"SELECT 1", result_set(1, 1)}}),
        (Lines{"1 began", "1 RR default", "1.1 BEGIN", "1.1 completed 0", "1.2 UPDATE t SET a=1",
               "1.2 failed 0 1213 40001", "1 aborted", "2 began alone", "2 RR default",
               "2.1 SELECT 1", "2.1 completed 1", "2 committed"}));
}

TEST(MysqlTransactions, ALockWaitThatTookTooLongLeavesADoubtUntilTheServerSpeaks) {
    const Step begin{"BEGIN", ok(1, open)};
    const Step timeout{"UPDATE t SET a=1", error(1, 1205)};
    const Step commit{"COMMIT", ok(1)};
    EXPECT_EQ(history_of({begin, timeout, commit}).back(), "1 indeterminate incomplete");
    EXPECT_EQ(history_of({begin, timeout, {"SELECT 1", result_set(1, 1, open)}, commit}).back(),
              "1 committed");
    EXPECT_EQ(history_of({begin, timeout, {"ROLLBACK", ok(1)}}).back(), "1 aborted");
}

TEST(MysqlTransactions, AnErrorInsideDoesNotEndThem) {
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)},
                          {"INSERT INTO t VALUES (1)", error(1, 1062, "23000")},
                          {"COMMIT", ok(1)}})
                  .back(),
              "1 committed");
}

TEST(MysqlTransactions, BeginInsideCommitsTheOldOne) {
    EXPECT_EQ(
        history_of({{"BEGIN", ok(1, open)}, {"START TRANSACTION", ok(1, open)}}),
        (Lines{"1 began", "1 RR default", "1.1 BEGIN", "1.1 completed 0", "1.2 START TRANSACTION",
               "1.2 completed 0", "1 committed", "2 began", "2 RR default"}));
}

TEST(MysqlTransactions, CommitAndChainStartsTheNextOne) {
    const Lines lines = history_of(
        {{"BEGIN", ok(1, open)}, {"COMMIT AND CHAIN", ok(1, open)}, {"ROLLBACK", ok(1)}});
    EXPECT_EQ(Lines(lines.end() - 6, lines.end()),
              (Lines{"1 committed", "2 began", "2 RR default", "2.1 ROLLBACK", "2.1 completed 0",
                     "2 aborted"}));
}

TEST(MysqlTransactions, DdlCommitsWhatWasOpen) {
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"CREATE TABLE u (a INT)", ok(1)}}).back(),
              "1 committed");
    EXPECT_EQ(
        history_of({{"BEGIN", ok(1, open)}, {"CREATE TABLE t (a INT)", error(1, 1050)}}).back(),
        "1 indeterminate incomplete");
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"CREATE TABLE t (", error(1, 1064)}}).back(),
              "1.2 failed 0 1064 HY000");
}

TEST(MysqlTransactions, ARoutineMayEndThemEitherWay) {
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"CALL p()", ok(1)}}).back(),
              "1 indeterminate incomplete");
}

TEST(MysqlTransactions, WithoutAutocommitTheFirstStatementOpensOne) {
    EXPECT_EQ(
        history_of({{"SET autocommit=0", ok(1, manual)},
                    {"UPDATE t SET a=1", ok(1, manual_open, 1)},
                    {"SELECT a", result_set(1, 1, manual_open)},
                    {"COMMIT", ok(1, manual)}}),
        (Lines{"1 began alone", "1 RR default", "1.1 SET autocommit=0", "1.1 completed 0",
               "1 committed", "2 began", "2 RR default", "2.1 UPDATE t SET a=1", "2.1 completed 1",
               "2.2 SELECT a", "2.2 completed 1", "2.3 COMMIT", "2.3 completed 0", "2 committed"}));
}

TEST(MysqlTransactions, WithoutAutocommitAFailureOpensNothingToDoubt) {
    const Step off{"SET autocommit=0", ok(1, manual)};
    EXPECT_EQ(
        history_of({off, {"x", error(1, 1064)}, {"SELECT 1", result_set(1, 1, manual)}}).back(),
        "2 committed");
    EXPECT_EQ(history_of({off, {"DROP TABLE missing", error(1, 1051)}}).back(), "2 aborted");
}

TEST(MysqlTransactions, TurningAutocommitOnCommits) {
    EXPECT_EQ(history_of({{"SET autocommit=0", ok(1, manual)},
                          {"UPDATE t SET a=1", ok(1, manual_open, 1)},
                          {"SET autocommit=1", ok(1)}})
                  .back(),
              "2 committed");
}

TEST(MysqlTransactions, SavepointsAreNamed) {
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)},
                          {"SAVEPOINT a", ok(1, open)},
                          {"ROLLBACK TO a", ok(1, open)},
                          {"RELEASE SAVEPOINT a", ok(1, open)}}),
              (Lines{"1 began", "1 RR default", "1.1 BEGIN", "1.1 completed 0", "1.2 SAVEPOINT a",
                     "1.2 completed 0", "1.2 savepoint set a", "1.3 ROLLBACK TO a",
                     "1.3 completed 0", "1.3 savepoint roll back a", "1.4 RELEASE SAVEPOINT a",
                     "1.4 completed 0", "1.4 savepoint release a"}));
}

/// The server says that it is in no transaction until a table is touched.
TEST(MysqlTransactions, WithoutAutocommitASavepointMayBeTheirFirstWord) {
    EXPECT_EQ(history_of({{"SET autocommit=0", ok(1, manual)},
                          {"SAVEPOINT a", ok(1, manual)},
                          {"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", ok(1, manual)},
                          {"SELECT 1", result_set(1, 1, manual)},
                          {"UPDATE t SET a=1", ok(1, manual_open, 1)},
                          {"ROLLBACK TO a", ok(1, manual_open)},
                          {"COMMIT", ok(1, manual)},
                          {"SELECT 1", result_set(1, 1, manual)}}),
              (Lines{"1 began alone",
                     "1 RR default",
                     "1.1 SET autocommit=0",
                     "1.1 completed 0",
                     "1 committed",
                     "2 began",
                     "2 RR default",
                     "2.1 SAVEPOINT a",
                     "2.1 completed 0",
                     "2.1 savepoint set a",
                     "2.2 SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                     "2.2 completed 0",
                     "2 SER transaction",
                     "2.3 SELECT 1",
                     "2.3 completed 1",
                     "2.4 UPDATE t SET a=1",
                     "2.4 completed 1",
                     "2.5 ROLLBACK TO a",
                     "2.5 completed 0",
                     "2.5 savepoint roll back a",
                     "2.6 COMMIT",
                     "2.6 completed 0",
                     "2 committed",
                     "3 began",
                     "3 RR default",
                     "3.1 SELECT 1",
                     "3.1 completed 1",
                     "3 committed"}));
}

TEST(MysqlTransactions, LevelsComeFromWhatSucceeded) {
    const Lines lines =
        history_of({{"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", ok(1)},
                    {"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", ok(1)},
                    {"BEGIN", ok(1, open)},
                    {"COMMIT", ok(1)},
                    {"START TRANSACTION READ ONLY", ok(1, open)},
                    {"SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED", error(1, 1)}});
    Lines levels;
    for (const std::string& line : lines) {
        if (line.find(" RR ") + line.find(" RC ") + line.find(" SER ") != 3 * std::string::npos &&
            line.find('.') == std::string::npos) {
            levels.push_back(line);
        }
    }
    EXPECT_EQ(levels, (Lines{"1 RR default", "2 RC session", "3 SER transaction",
                             "4 RC session read-only"}));
}

/// So says a driver that opens its sessions without autocommit, and a framework behind it.
TEST(MysqlTransactions, AutocommitIsNoLevelOfTheNextTransaction) {
    const Lines lines =
        history_of({{"SET autocommit=0", ok(1, manual)},
                    {"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", ok(1, manual)},
                    {"SELECT 1", result_set(1, 1, manual_open)}});
    EXPECT_THAT(lines, testing::Contains("3 RC session"));
}

/// The levels that transactions are told to have had, without their numbers.
Lines levels_of(const std::vector<Step>& steps) {
    Lines levels;
    for (const std::string& line : history_of(steps)) {
        const bool statement = line.find('.') != std::string::npos;
        for (const char* level : {"RR default", "RC transaction", "unknown unknown"}) {
            if (!statement && line.find(level) != std::string::npos) levels.emplace_back(level);
        }
    }
    return levels;
}

/// As MariaDB 10.11 and MySQL 9.7 do.
TEST(MysqlTransactions, ALevelForOneTransactionOutlivesADeadlock) {
    const Step once{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", ok(1)};
    const Step begin{"BEGIN", ok(1, open)};
    const Step deadlock{"UPDATE t SET a=1", error(1, 1213, "40001")};
    const Step commit{"COMMIT", ok(1)};
    EXPECT_EQ(levels_of({once, begin, deadlock, begin, commit, begin, commit}),
              (Lines{"RR default", "RC transaction", "RC transaction", "RR default"}));
}

TEST(MysqlTransactions, ALevelForOneTransactionMayOutliveAStatementAlone) {
    const Step once{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", ok(1)};
    const Step alone{"SELECT 1", result_set(1, 1)};
    const Step deadlock{"UPDATE t SET a=1", error(1, 1213, "40001")};
    const Step begin{"BEGIN", ok(1, open)};
    const Step commit{"COMMIT", ok(1)};
    EXPECT_EQ(levels_of({once, alone, alone, begin, commit, begin}),
              (Lines{"RR default", "RC transaction", "unknown unknown", "unknown unknown",
                     "RR default"}));
    EXPECT_EQ(levels_of({once, alone, once, begin}),
              (Lines{"RR default", "RC transaction", "RR default", "RC transaction"}));
    EXPECT_EQ(levels_of({once, deadlock, begin}),
              (Lines{"RR default", "RC transaction", "unknown unknown"}));
}

TEST(MysqlTransactions, ALevelThatTheServerReportsIsKnownBest) {
    const Capabilities tracking = test::plain_capabilities.with(Capability::session_track);
    const std::string state =
        test::length_encoded("") +
        test::length_encoded(test::number(0, 1) +
                             test::length_encoded(test::length_encoded("transaction_isolation") +
                                                  test::length_encoded("READ-COMMITTED")));
    const Lines lines = history_of({{"SET SESSION transaction_isolation='READ-COMMITTED'",
                                     ok(1, autocommit | test::session_state_changed, 0, state)},
                                    {"SELECT 1", result_set(1, 1)}},
                                   false, tracking);
    EXPECT_EQ(lines[lines.size() - 4], "2 RC reported");
}

TEST(MysqlTransactions, StatementsOfOneTextAreToldApart) {
    EXPECT_EQ(
        history_of({{"BEGIN; UPDATE t SET a=1; COMMIT",
                     ok(1, open | more_results) + ok(2, open | more_results, 2) + ok(3)}}),
        (Lines{"1 began", "1 RR default", "1.1 BEGIN", "1.1 completed 0", "1.2 UPDATE t SET a=1",
               "1.2 completed 2", "1.3 COMMIT", "1.3 completed 0", "1 committed"}));
}

TEST(MysqlTransactions, AfterAnErrorTheRestOfTheTextIsNotRun) {
    const Lines lines = history_of(
        {{"SELECT 1; x; SELECT 2", result_set(1, 1, autocommit | more_results) + error(6, 1064)},
         {"SELECT 3", result_set(1, 1)}});
    EXPECT_EQ(Lines(lines.begin() + 4, lines.end()),
              (Lines{"1 committed", "2 began alone", "2 RR default", "2.1 x",
                     "2.1 failed 0 1064 HY000", "2 aborted", "3 began alone", "3 RR default",
                     "3.1 SELECT 3", "3.1 completed 1", "3 committed"}));
}

TEST(MysqlTransactions, ARoutineGivesManyResultsAndIsOneStatement) {
    const std::string reply = result_set(1, 1, autocommit | more_results) +
                              result_set(6, 2, autocommit | more_results) +
                              ok(12, autocommit | more_results) + ok(13, autocommit, 1);
    EXPECT_EQ(history_of({{"CALL p(); DELETE FROM t", reply}}),
              (Lines{"1 began alone", "1 RR default", "1.1 CALL p()", "1.1 completed 3",
                     "1 committed", "2 began alone", "2 RR default", "2.1 DELETE FROM t",
                     "2.1 completed 1", "2 committed"}));
}

TEST(MysqlTransactions, XaEndsWithWhatWasDecided) {
    const Lines prefix{
        "1 began",        "1 RR default",    "1.1 XA START 'a'",   "1.1 completed 0",
        "1.2 XA END 'a'", "1.2 completed 0", "1.3 XA PREPARE 'a'", "1.3 completed 0"};
    const std::vector<Step> steps{{"XA START 'a'", ok(1, open)},
                                  {"XA END 'a'", ok(1, open)},
                                  {"XA PREPARE 'a'", ok(1, open)}};
    std::vector<Step> committed = steps;
    committed.push_back({"XA COMMIT 'a'", ok(1)});
    Lines lines = history_of(committed);
    EXPECT_EQ(Lines(lines.begin(), lines.begin() + 8), prefix);
    EXPECT_EQ(Lines(lines.begin() + 8, lines.end()),
              (Lines{"2 began alone", "2 RR default", "2.1 XA COMMIT 'a'", "2.1 completed 0",
                     "1 committed", "2 committed"}));

    std::vector<Step> rolled_back = steps;
    rolled_back.push_back({"XA ROLLBACK 'a'", ok(1)});
    lines = history_of(rolled_back);
    EXPECT_EQ(lines[lines.size() - 2], "1 aborted");

    lines = history_of(steps, true);
    EXPECT_EQ(lines[lines.size() - 2], "1 indeterminate") << "another session may decide";
}

TEST(MysqlTransactions, XaInOnePhase) {
    EXPECT_EQ(history_of({{"XA START 'a'", ok(1, open)},
                          {"XA END 'a'", ok(1, open)},
                          {"XA COMMIT 'a' ONE PHASE", ok(1)}})
                  .back(),
              "1 committed");
}

TEST(MysqlTransactions, ResettingTheConnectionRollsBack) {
    Wire wire;
    wire.log_in(test::plain_capabilities);
    wire.exchange(query("SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE"), ok(1));
    wire.exchange(query("BEGIN"), ok(1, open));
    wire.exchange(test::command(0x1f), ok(1));
    wire.exchange(query("SELECT 1"), result_set(1, 1));
    const Lines lines = wire.events();
    EXPECT_EQ(Lines(lines.end() - 6, lines.end()),
              (Lines{"2 aborted", "3 began alone", "3 RR default", "3.1 SELECT 1",
                     "3.1 completed 1", "3 committed"}));
}

/// The connection dies while this is with the server: what is said of the transaction?
std::string outcome_of_death_in(std::string_view in_flight, bool in_a_transaction) {
    Wire wire;
    wire.log_in(test::plain_capabilities);
    if (in_a_transaction) {
        wire.exchange(query("BEGIN"), ok(1, open));
    }
    if (!in_flight.empty()) {
        wire.from_client(query(in_flight));
    }
    wire.close();
    EXPECT_EQ(wire.events().back(), "session ended");
    return wire.events()[wire.events().size() - 2];
}

TEST(MysqlTransactions, ADeathIsInDoubtOnlyWhereACommitWasInFlight) {
    EXPECT_EQ(outcome_of_death_in("COMMIT", true), "1 indeterminate");
    EXPECT_EQ(outcome_of_death_in("CREATE TABLE u (a INT)", true), "1 indeterminate");
    EXPECT_EQ(outcome_of_death_in("CALL p()", true), "1 indeterminate");
    EXPECT_EQ(outcome_of_death_in("UPDATE t SET a=1", false), "1 indeterminate");
    EXPECT_EQ(outcome_of_death_in("UPDATE t SET a=1", true), "1 aborted");
    EXPECT_EQ(outcome_of_death_in("", true), "1 aborted");
}

TEST(MysqlTransactions, WhatIsOpenWhenTheThreadIsLostEndsUnknown) {
    Wire wire;
    wire.log_in(test::plain_capabilities);
    wire.exchange(query("BEGIN"), ok(1, open));
    wire.from_client(query("SELECT a"));
    wire.from_server(ok(9));
    ASSERT_TRUE(wire.blind);
    wire.close();
    const Lines lines = wire.events();
    EXPECT_EQ(Lines(lines.end() - 4, lines.end()),
              (Lines{"1.2 cut 0", "1 indeterminate incomplete", "gap", "session ended"}));
}

TEST(MysqlTransactions, ACommitThatTheServerDidNotFinishIsInDoubt) {
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"COMMIT", error(1, 1053)}}).back(),
              "1 indeterminate");
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"COMMIT", error(1, 1213)}}).back(), "1 aborted");
}

TEST(MysqlTransactions, AnEndThatFailsForAReasonThatNobodyKnowsIsInDoubt) {
    const auto behind = [](std::uint16_t number) {
        return history_of({{"BEGIN", ok(1, open)},
                           {"COMMIT", error(1, number)},
                           {"SELECT 1", ok(1, open)},
                           {"COMMIT", ok(1, autocommit)}});
    };
    const auto has = [](const Lines& lines, const std::string& line) {
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    EXPECT_TRUE(has(behind(4711), "1 indeterminate"));
    EXPECT_EQ(behind(4711).back(), "2 committed incomplete") << "it may be a part of the first";
    EXPECT_TRUE(has(behind(1180), "1 aborted"));
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"ROLLBACK", error(1, 4711)}}).back(),
              "1 indeterminate");
}

/// A prepared COMMIT with a cursor, say.
TEST(MysqlTransactions, ACommitThatTheServerDidNotTryChangesNothing) {
    for (const std::uint16_t number : std::vector<std::uint16_t>{1064, 1210, 1226, 1295, 1820}) {
        const Lines lines = history_of({{"BEGIN", ok(1, open)},
                                        {"COMMIT", error(1, number)},
                                        {"ROLLBACK", error(1, number)},
                                        {"COMMIT", ok(1, autocommit)}});
        EXPECT_EQ(lines.back(), "1 committed") << number;
    }
}

TEST(MysqlTransactions, AnInterruptedStatementAloneIsUndone) {
    EXPECT_EQ(history_of({{"UPDATE t SET a=1", error(1, 1317)}}).back(), "1 aborted");
    EXPECT_EQ(history_of({{"UPDATE t SET a=1", error(1, 1053)}}).back(), "1 indeterminate");
    EXPECT_EQ(history_of({{"BEGIN", ok(1, open)}, {"COMMIT", error(1, 1317)}}).back(),
              "1 indeterminate");
}

TEST(MysqlTransactions, PreparedStatementsAreReportedByTheirText) {
    Wire wire;
    wire.log_in(test::plain_capabilities);
    const std::string prepared = test::packet(
        1, test::number(0, 1) + test::number(9, 4) + test::number(0, 2) + test::number(0, 5));
    const std::string execute =
        test::command(0x17, test::number(9, 4) + test::number(0, 1) + test::number(1, 4));
    wire.exchange(test::command(0x16, "DELETE FROM t"), prepared);
    wire.exchange(execute, ok(1, autocommit, 4));
    wire.from_client(test::command(0x19, test::number(9, 4)));
    wire.exchange(execute, error(1, 1243));
    EXPECT_THAT(Lines(wire.events().begin() + 1, wire.events().end()),
                ElementsAreArray({"1 began alone", "1 RR default", "1.1 DELETE FROM t",
                                  "1.1 completed 4", "1 committed", "2 began alone", "2 RR default",
                                  "2.1  …", "2.1 failed 0 1243 HY000", "2 aborted"}));
}

}  // namespace
}  // namespace isotap::mysql
