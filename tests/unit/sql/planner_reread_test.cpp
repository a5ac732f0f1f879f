// What statements of the MySQL family read out of sight, and is asked for behind them.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/unit/sql/planner_fixture.hpp"

namespace isotap::sql {
namespace {

using history::AccessKind;
using history::Coverage;

class PlannerReread : public Planner {
  protected:
    PlannerReread() {
        for (const char* name : {"bill", "bull"}) {
            Table& table = catalog_.add(name, VersionSource::columns, {"id", "v", "w"});
            table.indexed.emplace();
            table.told_by_triggers = true;
        }
        Table& looked_up = catalog_.add("shelf", VersionSource::columns, {"id", "v", "w"});
        looked_up.indexed = {"v"};
        looked_up.told_by_triggers = true;
        catalog_.add("keyless", VersionSource::columns, {"v"}, {}).indexed.emplace();
    }

    /// The question about a statement whose rows may not be read twice in it.
    std::string again(std::string_view text, const LexerState& state) {
        options_.reads_twice = false;
        plan_ = plan(text, state);
        return ask_again(plan_.reread, tokens_).text;
    }

    void expect_told(std::string_view text, std::string_view from_where) {
        const std::string packed =
            "group_concat(ifnull(bull.`isotap_rowid`,''),'=',bull.`isotap_wlist` "
            "separator ';') ";
        EXPECT_EQ(again(text, mysql_state()),
                  "select /*+ SET_VAR(group_concat_max_len=4000000) MAX_EXECUTION_TIME(1000) */ "
                  "(select " +
                      packed + std::string(from_where) +
                      " for share skip locked) from dual where "
                      "@@session.transaction_isolation in ('REPEATABLE-READ','SERIALIZABLE')");
        EXPECT_TRUE(plan_.reread.completes) << text << ": " << plan_.reason;
        EXPECT_EQ(plan_.coverage, Coverage::partial) << text << ": until they are told";
        EXPECT_EQ(again(text, mariadb_state()),
                  "set statement group_concat_max_len=4000000,max_statement_time=1,"
                  "lock_wait_timeout=0 for select (select " +
                      packed + std::string(from_where) +
                      " lock in share mode skip locked) from dual where "
                      "@@session.tx_isolation in ('REPEATABLE-READ','SERIALIZABLE')");
        EXPECT_TRUE(plan_.reread.completes) << text << ": " << plan_.reason;
        ASSERT_EQ(plan_.reread.tables.size(), 1U) << text;
        const CapturedTable& read = plan_.tables[plan_.reread.tables[0]];
        EXPECT_EQ(read.identity, "public.bull") << text;
        EXPECT_EQ(read.kind, AccessKind::locking_read) << text;
    }

    void expect_untold(std::string_view text, std::string_view reason = "subquery") {
        for (const LexerState& state : {mysql_state(), mariadb_state()}) {
            const Plan made = plan(text, state);
            EXPECT_FALSE(made.reread.wanted()) << text;
            EXPECT_EQ(made.coverage, Coverage::partial) << text;
            EXPECT_EQ(made.reason, reason) << text;
        }
    }
};

TEST_F(PlannerReread, AsksForRowsThatAWriteHasReadAndLocked) {
    expect_told("update bill set v = 1 where w < (select min(v) from bull)",
                "from bull force index (primary) ");
    expect_told("update bill set v = (select sum(w) from bull where v > 'a') where id = 2",
                "from bull force index (primary) where v > 'a'");
    expect_told("delete from bill where v = 3 and (id > (select v from bull where id = 5))",
                "from bull force index (primary) where id = 5");
    expect_told("insert into bill values (1, (select max(w) from bull where id < 9), 3)",
                "from bull force index (primary) where id < 9");
    expect_told("insert into bill select 1, count(*), 2 from bull",
                "from bull force index (primary) ");
}

/// MariaDB notes the rows as it copies them.
TEST_F(PlannerReread, AsksForTheSourceOfAnInsert) {
    const std::string_view copy = "insert into bill select id, v, w from bull where id < 5";
    EXPECT_NE(again(copy, mysql_state()).find("where id < 5 for share"), std::string::npos);
    EXPECT_EQ(plan_.reason, "insert from select");
    EXPECT_EQ(again(copy, mariadb_state()), "");
    EXPECT_EQ(plan_.coverage, Coverage::full);
}

/// Which of the rows were looked at, only the server knows.
TEST_F(PlannerReread, AsksNothingWhereTheStatementMayHaveReadLess) {
    for (const std::string_view text : {
             "update bill set v = 1 where id in (select v from bull)",
             "update bill set v = 1 where exists (select 1 from bull where v = 2)",
             "update bill set v = 1 where w > all (select v from bull)",
             "update bill set v = 1 where w in (3, (select max(v) from bull))",
             "update bill set v = 1 where w = 1 or w < (select min(v) from bull)",
             "update bill set v = 1 where not (w = 1 and w < (select min(v) from bull))",
             "update bill set v = 1 where w not between 1 and (select min(v) from bull)",
             "update bill set v = if(w = 1, (select min(v) from bull), 2)",
             "update bill set v = w and (select min(v) from bull)",
             "update bill set v = 1 order by (select min(v) from bull)",
             "update bill set v = (select v from bull where v > 1 limit 1)",
             "update bill set v = (select distinct v from bull)",
             "update bill set v = (select v from bull where v = bill.w)",
             "update bill set v = (select max(bull.v) from bull, aux where bull.id = aux.id)",
             "update bill set v = (select max(v) from bull where w > (select 1 from aux))",
             "update bill set v = (select max(v) from bull where rand() < 0.5)",
             "update bill set v = (select max(v) from bull use index ())",
         }) {
        expect_untold(text);
    }
}

/// Another index serves the condition, or the answer: the rows themselves may not be locked.
TEST_F(PlannerReread, AsksNothingWhereAnotherIndexMayServe) {
    for (const std::string_view text : {
             "update bill set v = (select max(v) from shelf)",
             "update bill set v = (select max(id) from shelf)",
             "update bill set v = (select max(id) from bull)",
             "update bill set v = (select max(w) from shelf where v = 1)",
             "update bill set v = (select count(*) from shelf)",
             "update bill set v = (select count(*) w from shelf where id > 3)",
             "update bill set v = (select id from shelf where id = 3)",
             "update bill set v = (select max(v) from inv)",
         }) {
        expect_untold(text);
    }
    EXPECT_NE(again("update bill set v = (select max(w) from shelf where id > 3)", mysql_state()),
              "");
}

TEST_F(PlannerReread, AsksForATableWithoutAKeyAsItIs) {
    const std::string text =
        again("update bill set v = (select max(v) from keyless)", mysql_state());
    EXPECT_NE(text.find("from keyless  for share"), std::string::npos) << text;
}

/// The statement has changed what it read.
TEST_F(PlannerReread, AsksNothingOfTheTableThatIsWritten) {
    expect_untold("delete from bill where v = (select max(w) from bill)");
}

TEST_F(PlannerReread, LeavesCoverageAsItIsWhereMoreIsMissing) {
    again(
        "update bill set v = (select max(v) from bull), w = (select max(v) from bull where id in "
        "(select 1 from aux))",
        mysql_state());
    EXPECT_TRUE(plan_.reread.wanted());
    EXPECT_FALSE(plan_.reread.completes);
}

TEST_F(PlannerReread, NeedsLocksThatCanBePassedOver) {
    LexerState old = mariadb_state();
    old.server_version = 100529;
    EXPECT_EQ(again("update bill set v = (select max(v) from bull)", old), "");
}

/// Of an aggregate over columns of the block around it, one row of many would be reported.
TEST_F(PlannerReread, TellsWhoseAnAggregateIs) {
    for (const LexerState& state : {mysql_state(), mariadb_state()}) {
        for (const std::string_view text : {
                 "select v from bill where v < (select min(x.v) from bull x)",
                 "select v from bill where v < (select count(*) from bull where v = 1)",
                 "select v from bill where v < (select sum(distinct bull.v) from bull)",
                 "select (select max(bill.v + bull.v) from bull) from bill",
             }) {
            const Plan made = plan(text, state);
            EXPECT_NE(made.coverage, Coverage::opaque) << text << ": " << made.reason;
        }
        for (const std::string_view text : {
                 "select (select max(bill.v)) from bill",
                 "select (select max(bill.v) from bull) from bill",
                 "select (select max(y.v) from bull) from bill y",
                 "select (select max(z) from bull) from bill",
                 "select (select max(public.bill.v) from bull) from bill",
                 "select (select max((select v + bill.w from aux)) from bull) from bill",
             }) {
            expect_opaque(text, state, "aggregate in a subquery");
        }
    }
}

/// The snapshot of the transaction has them all, whatever was looked at.
TEST_F(PlannerReread, AsksForWhatASelectOfMysqlRead) {
    const std::string text =
        again("select v from bill where v < (select min(v) from shelf where v > 3)", mysql_state());
    EXPECT_EQ(
        text,
        "select /*+ SET_VAR(group_concat_max_len=4000000) MAX_EXECUTION_TIME(1000) */ (select "
        "group_concat(ifnull(shelf.`isotap_rowid`,''),'=',shelf.`isotap_wlist` "
        "separator ';') from shelf where v > 3) from dual where "
        "@@session.transaction_isolation='REPEATABLE-READ' and "
        "@@sql_select_limit=18446744073709551615");
    EXPECT_EQ(plan_.reread.hold, Reread::Hold::snapshot);
    EXPECT_TRUE(plan_.reread.completes);
    EXPECT_EQ(plan_.tables[plan_.reread.tables[0]].kind, AccessKind::read);
    EXPECT_EQ(
        again("select v from bill where v < (select min(v) from bull) for update", mysql_state()),
        "");
}

/// A column more would change the result, or show. The statement goes as it is.
TEST_F(PlannerReread, AsksForWhatAResultCameFrom) {
    const std::string text = again("select distinct v from bull where w < 3", mysql_state());
    EXPECT_EQ(
        text,
        "select /*+ SET_VAR(group_concat_max_len=4000000) MAX_EXECUTION_TIME(1000) */ (select "
        "group_concat(ifnull(bull.`isotap_rowid`,''),'=',bull.`isotap_wlist` "
        "separator ';') from bull where w < 3 ) from dual where "
        "@@session.transaction_isolation='REPEATABLE-READ' and "
        "@@sql_select_limit=18446744073709551615");
    EXPECT_FALSE(plan_.rewrites());
    EXPECT_TRUE(plan_.reread.of_result);
    EXPECT_EQ(plan_.coverage, Coverage::opaque) << "until it is told";
    EXPECT_EQ(plan_.reason, "DISTINCT");
    EXPECT_NE(again("select distinct v from bull", mariadb_state()).find("@@query_cache_type"),
              std::string::npos);
}

TEST_F(PlannerReread, AsksForEachRelationOfEachArm) {
    const auto count = [&](std::string_view text, std::string_view part) {
        const std::string question = again(text, mariadb_state());
        std::size_t found = 0;
        for (std::size_t at = 0; (at = question.find(part, at)) != std::string::npos; ++at) {
            ++found;
        }
        return found;
    };
    const std::string_view join =
        "select v from bill natural join shelf group by v having count(*) > 1";
    EXPECT_EQ(count(join, "group_concat(distinct ifnull("), 2U);
    EXPECT_EQ(plan_.reread.tables.size(), 2U);
    const std::string_view arms = "table bull union select v, 1, 2 from shelf union select 1, 2, 3";
    EXPECT_EQ(count(arms, "group_concat(ifnull("), 2U);
    EXPECT_EQ(plan_.reason, "set operation");
    for (const std::string_view derived : {
             "select count(*) from (select distinct v from bill) d",
             "select * from (select max(x) from (select v x from bill group by v) d) e",
         }) {
        EXPECT_EQ(count(derived, "isotap_wlist` separator ';') from bill"), 1U) << derived;
        EXPECT_EQ(plan_.tables.size(), 1U) << derived;
    }
    const std::string_view inner =
        "select distinct v from bill where w < (select v from bull where id = 1)";
    EXPECT_EQ(count(inner, "group_concat("), 2U);
}

/// All of it, or nothing.
TEST_F(PlannerReread, AsksForNoPartOfAResult) {
    for (const std::string_view text : {
             "select distinct v from bill where v in (select v from bull where w = bill.w)",
             "select distinct v from bill for update",
             "select distinct v from bill limit 1",
             "select distinct v from bill where rand() < 0.5",
             "select distinct v from bill, (select 1 as one from bull) d",
             "select count(*) from (select distinct v from bill) d where v < 3",
             "select * from (select distinct v from bill) d limit 1",
             "with c as (select v from bull) select distinct v from c",
             "select distinct 1 union select 2",
             "select distinct v into @v from bill",
         }) {
        for (const LexerState& state : {mysql_state(), mariadb_state()}) {
            EXPECT_EQ(again(text, state), "") << text;
            EXPECT_FALSE(plan_.reread.of_result) << text;
        }
    }
}

/// In the client's own text a placeholder more would need a value.
TEST_F(PlannerReread, HasTheParametersOfWhatItAsksAgain) {
    for (const LexerState& state : {mysql_state(), mariadb_state()}) {
        const std::string_view text =
            "select distinct v, ? from bill where v > ? and w in (?, ?) order by ?";
        plan_ = plan(text, state);
        EXPECT_FALSE(plan_.rewrites());
        EXPECT_TRUE(plan_.reread.of_result);
        const Question question = ask_again(plan_.reread, tokens_);
        EXPECT_NE(question.text.find("where v > ? and w in (?, ?)"), std::string::npos);
        EXPECT_EQ(question.parameters, (std::vector<std::size_t>{1, 2, 3}));
    }
}

}  // namespace
}  // namespace isotap::sql
