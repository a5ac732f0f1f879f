#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/postgres/talk.hpp"

namespace isotap::postgres::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string sync = message('S');
const std::string parsed = message('1');
const std::string bound = message('2');

TEST(Observation, ASessionIsToldWithWhoAndWhere) {
    Talk talk;
    talk.client(startup("user\0ann\0database\0shop\0"sv)).server(welcome());
    talk.close();
    EXPECT_THAT(talk.events, ElementsAre("session began: ann shop", "session ended"));
}

TEST(Observation, AnAutocommitStatementIsATransaction) {
    Talk talk;
    talk.begun().client(query("update t set a = 1")).server(complete("UPDATE 3") + ready());
    EXPECT_THAT(talk.events,
                ElementsAre("T1 began, implicit", "T1 at RC (default)", "T1.1: update t set a = 1",
                            "T1.1 completed UPDATE 3 rows 3", "T1 committed"));
}

TEST(Observation, ABlockIsOneTransactionAtItsOwnLevel) {
    Talk talk;
    talk.begun();
    talk.client(query("begin isolation level serializable read only"));
    talk.server(complete("BEGIN") + ready('T'));
    talk.client(query("select 1")).server(complete("SELECT 1") + ready('T'));
    talk.client(query("commit")).server(complete("COMMIT") + ready());
    EXPECT_THAT(talk.events,
                ElementsAre("T1 began", "T1 at RC (default)",
                            "T1.1: begin isolation level serializable read only",
                            "T1.1 completed BEGIN rows 0", "T1 at SER (transaction), read only",
                            "T1.2: select 1", "T1.2 completed SELECT 1 rows 1", "T1.3: commit",
                            "T1.3 completed COMMIT rows 0", "T1 committed"));
}

TEST(Observation, TheTagDecidesNotTheText) {
    Talk talk;
    talk.begun().client(query("begin")).server(complete("BEGIN") + ready('T'));
    talk.client(query("x")).server(error("42601") + ready('E'));
    talk.client(query("commit")).server(complete("ROLLBACK") + ready());
    EXPECT_EQ(talk.events.back(), "T1 aborted");
    EXPECT_THAT(talk.events, Contains("T1.2 failed 42601 rows 0"));
}

TEST(Observation, TransactionsWithinOneQueryAreToldApart) {
    Talk talk;
    talk.begun().client(query("begin; select 1; commit; select 2"));
    talk.server(complete("BEGIN") + complete("SELECT 1") + complete("COMMIT") +
                complete("SELECT 1") + ready());
    EXPECT_THAT(
        talk.events,
        ElementsAre("T1 began", "T1 at RC (default)", "T1.1: begin", "T1.1 completed BEGIN rows 0",
                    "T1.2: select 1", "T1.2 completed SELECT 1 rows 1", "T1.3: commit",
                    "T1.3 completed COMMIT rows 0", "T1 committed", "T2 began, implicit",
                    "T2 at RC (default)", "T2.1: select 2", "T2.1 completed SELECT 1 rows 1",
                    "T2 committed"));
}

TEST(Observation, AChainBeginsTheNextAtTheSameLevel) {
    Talk talk;
    talk.begun().client(query("begin isolation level repeatable read"));
    talk.server(complete("BEGIN") + ready('T'));
    talk.events.clear();
    talk.client(query("commit and chain")).server(complete("COMMIT") + ready('T'));
    EXPECT_THAT(talk.events, ElementsAre("T1.2: commit and chain", "T1.2 completed COMMIT rows 0",
                                         "T1 committed", "T2 began", "T2 at RR (transaction)"));
}

TEST(Observation, SavepointsComeWithTheirNames) {
    Talk talk;
    talk.begun().client(query("begin; savepoint a; release a; savepoint b; rollback to b"));
    talk.server(complete("BEGIN") + complete("SAVEPOINT") + complete("RELEASE") +
                complete("SAVEPOINT") + complete("ROLLBACK") + ready('T'));
    EXPECT_THAT(talk.events, Contains("savepoint a set"));
    EXPECT_THAT(talk.events, Contains("savepoint a released"));
    EXPECT_THAT(talk.events, Contains("savepoint b rolled back to"));
}

TEST(Observation, ASavepointHasOneNameHoweverItIsSpelled) {
    Talk talk;
    talk.begun().client(query("begin; savepoint Sp; rollback to \"sp\""));
    talk.server(complete("BEGIN") + complete("SAVEPOINT") + complete("ROLLBACK") + ready('T'));
    EXPECT_THAT(talk.events, Contains("savepoint sp set"));
    EXPECT_THAT(talk.events, Contains("savepoint sp rolled back to"));
}

TEST(Observation, RollingBackToASavepointSavesTheTransaction) {
    Talk talk;
    talk.begun().client(query("begin; savepoint s"));
    talk.server(complete("BEGIN") + complete("SAVEPOINT") + ready('T'));
    talk.client(query("x")).server(error("42601") + ready('E'));
    talk.client(query("rollback to s")).server(complete("ROLLBACK") + ready('T'));
    talk.client(query("commit")).server(complete("COMMIT") + ready());
    EXPECT_EQ(talk.events.back(), "T1 committed");
}

TEST(Observation, SessionLevelsHoldFromTheNextTransactionAndOnlyIfTheirOwnSucceeds) {
    Talk talk;
    talk.begun();
    talk.client(query("set session characteristics as transaction isolation level serializable"));
    talk.server(complete("SET") + ready());
    talk.client(query("select 1")).server(complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T2 at SER (session)"));

    talk.client(query("begin; set default_transaction_isolation to 'repeatable read'"));
    talk.server(complete("BEGIN") + complete("SET") + ready('T'));
    talk.client(query("rollback")).server(complete("ROLLBACK") + ready());
    talk.client(query("select 1")).server(complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T4 at SER (session)"));

    talk.client(query("discard all")).server(complete("DISCARD ALL") + ready());
    talk.client(query("select 1")).server(complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T6 at RC (default)"));
}

TEST(Observation, ASessionLevelIsInDoubtBehindARollbackToASavepoint) {
    Talk talk;
    talk.begun().client(
        query("begin; savepoint a; set default_transaction_isolation to serializable; "
              "rollback to a; commit"));
    talk.server(complete("BEGIN") + complete("SAVEPOINT") + complete("SET") + complete("ROLLBACK") +
                complete("COMMIT") + ready());
    talk.client(query("select 1")).server(complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T2 at ? (unknown)"));
    talk.client(query("reset all")).server(complete("RESET") + ready());
    talk.client(query("select 1")).server(complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T4 at RC (default)"));
}

TEST(Observation, TheStartUpPacketMaySetTheLevel) {
    Talk talk;
    talk
        .client(startup(
            "user\0a\0options\0-c default_transaction_isolation=repeatable\\ read -c x=y\0"sv))
        .server(welcome());
    talk.client(query("select 1")).server(complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T1 at RR (startup)"));
}

TEST(Observation, PreparedStatementsAreToldWithTheirText) {
    Talk talk;
    talk.begun().client(parse("s", "select $1") + sync).server(parsed + ready());
    EXPECT_THAT(talk.events, IsEmpty());
    talk.client(bind("p", "s") + execute("p") + sync);
    talk.server(bound + complete("SELECT 1") + ready());
    talk.client(bind("", "s") + execute("") + sync);
    talk.server(bound + complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T1.1: select $1"));
    EXPECT_THAT(talk.events, Contains("T2.1: select $1"));
}

TEST(Observation, AParseThatFailsLeavesTheOldStatementInPlace) {
    Talk talk;
    talk.begun().client(parse("", "select 1") + sync).server(parsed + ready());
    talk.client(parse("", "bogus") + sync).server(error("42601") + ready());
    EXPECT_THAT(talk.events, Contains("T1.1: bogus"));
    EXPECT_THAT(talk.events, Contains("T1.1 failed 42601 rows 0"));
    EXPECT_EQ(talk.events.back(), "T1 aborted");
    talk.client(bind("", "") + execute("") + sync);
    talk.server(bound + complete("SELECT 1") + ready());
    EXPECT_THAT(talk.events, Contains("T2.1: select 1"));
}

TEST(Observation, APipelineIsOneTransactionUpToItsSync) {
    Talk talk;
    talk.begun().client(parse("", "a") + bind("", "") + execute("") + parse("", "b") +
                        bind("", "") + execute("") + sync);
    talk.server(parsed + bound + complete("INSERT 0 1") + parsed + bound + complete("INSERT 0 1"));
    EXPECT_THAT(talk.events, Contains("T1.2: b"));
    talk.server(error("40001") + ready());
    EXPECT_THAT(talk.events, Contains("T1.3 failed 40001 rows 0"));
    EXPECT_EQ(talk.events.back(), "T1 aborted");
}

TEST(Observation, AConnectionThatDiesDuringCommitLeavesItOpenWhatHappened) {
    Talk talk;
    talk.begun().client(query("begin")).server(complete("BEGIN") + ready('T'));
    talk.client(query("commit"));
    talk.close();
    EXPECT_THAT(talk.events, Contains("T1.2 cut rows 0"));
    EXPECT_THAT(talk.events, Contains("T1 indeterminate"));

    Talk idle;
    idle.begun().client(query("begin")).server(complete("BEGIN") + ready('T'));
    idle.close();
    EXPECT_THAT(idle.events, Contains("T1 aborted"));
}

TEST(Observation, ALongTextIsCutAndSaidToBe) {
    Talk::Setting setting;
    setting.limits.observed_message = 16;
    for (const std::size_t slice : {0U, 5U}) {
        setting.slice = slice;
        Talk talk(setting);
        talk.begun().client(query("select 'a long text'")).server(complete("SELECT 1") + ready());
        EXPECT_THAT(talk.events, Contains("T1.1: select 'a long t [cut]"));
        EXPECT_EQ(talk.events.back(), "T1 committed");
    }
}

TEST(Observation, ASuspendedPortalSaysSo) {
    Talk talk;
    talk.begun().client(parse("", "select 1") + bind("", "") + execute("") + message('H'));
    talk.server(parsed + bound + message('s'));
    EXPECT_EQ(talk.events.back(), "T1.1 suspended rows 0");
}

}  // namespace
}  // namespace isotap::postgres::test
