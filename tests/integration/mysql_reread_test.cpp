// What a statement of MariaDB or MySQL read out of sight is asked for behind it: it is told only
// where it cannot have changed, and asking locks nothing that was not locked.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;

class MysqlReread : public MysqlTruth {
  protected:
    using Cases = std::vector<std::pair<std::string, Touched>>;

    void run_each(const Cases& cases, const std::string& level) {
        run("set session transaction isolation level " + level);
        for (const auto& [sql, touched_rows] : cases) {
            run("begin");
            run(sql + " /* " + level + " */");
            run("rollback");
        }
    }

    static long accounts() { return std::stol(there().sql("select count(*) from shop.acc")); }

    /// By a counter: the tables of waits show what was so when somebody last looked.
    static void await_lock_wait() {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (there()
                   .sql("show global status like 'Innodb_row_lock_current_waits'")
                   .ends_with("\t0\n")) {
            ASSERT_LT(std::chrono::steady_clock::now(), end) << "nobody waits";
            std::this_thread::yield();
        }
    }
};

TEST_P(MysqlReread, TellsWhatAWriteReadUnderItsLocks) {
    const Cases cases{
        {"update acc set bal = 7 where bal > (select max(price) from sale) and id < 3",
         {"update acc 1", "update acc 2", "lock sale 1", "lock sale 2", "lock sale 3"}},
        {"update acc set bal = (select sum(item) from sale where price > 1) where id = 4",
         {"update acc 4", "lock sale 1", "lock sale 2"}},
        {"delete from acc where id = 5 and bal > (select v from item where id = 2)",
         {"delete acc 5", "lock item 2"}},
        {"insert into acc values (60, (select count(price) from sale))",
         {"insert acc ", "lock sale 1", "lock sale 2", "lock sale 3"}},
        {"insert into acc select 61, max(price) from sale where item < 5",
         {"insert acc ", "lock sale 1", "lock sale 2"}},
        {"insert into acc select id + 200, item from sale where id < 3",
         {"insert acc ", "insert acc ", "lock sale 1", "lock sale 2"}},
    };
    for (const char* level : {"REPEATABLE READ", "SERIALIZABLE"}) {
        run_each(cases, level);
    }
    end();
    for (const char* level : {"REPEATABLE READ", "SERIALIZABLE"}) {
        for (const auto& [sql, touched_rows] : cases) {
            expect(sql + " /* " + level + " */", touched_rows, Coverage::full);
        }
    }
}

TEST_P(MysqlReread, TellsNothingThatMayHaveChanged) {
    const std::string update = "update acc set bal = (select max(price) from sale) where id = ";
    const std::string alone = update + "1";
    const std::string none =
        "update acc set bal = 0 where id = 1 and bal < "
        "(select min(price) from sale)";
    run(alone);
    run("begin");
    run(none);
    run("commit");
    run_each({{update + "2", {}}}, "READ COMMITTED");
    run_each({{update + "3", {}}}, "READ UNCOMMITTED");
    run("set session transaction isolation level REPEATABLE READ");
    run("set transaction isolation level READ COMMITTED");
    const std::string once = update + "4";
    run("begin");
    run(once);
    run("commit");
    end();
    expect(alone, {"update acc 1"}, Coverage::partial, "subquery");
    expect(none, {}, Coverage::partial, "subquery");
    expect(update + "2 /* READ COMMITTED */", {"update acc 2"}, Coverage::partial, "subquery");
    expect(update + "3 /* READ UNCOMMITTED */", {"update acc 3"}, Coverage::partial, "subquery");
    expect(once, {"update acc 4"}, Coverage::partial, "subquery");
}

/// On MySQL each row of the result tells it where it is short; where it is long the snapshot does,
/// if there is one.
TEST_P(MysqlReread, TellsWhatASubqueryOfASelectRead) {
    const std::string few =
        "select id from acc where id < 3 and bal > (select max(price) from sale)";
    const std::string many = "select id from sale where price < (select sum(bal) from acc)";
    for (int id = 100; id < 150; ++id) {
        run("insert into acc values (" + std::to_string(id) + ", 10)");
    }
    run_each({{few, {}}, {many, {}}}, "READ COMMITTED");
    run_each({{few, {}}, {many, {}}}, "REPEATABLE READ");
    end();
    const bool all_of_many = GetParam() != MysqlFlavour::mysql;
    for (const std::string level : {" /* READ COMMITTED */", " /* REPEATABLE READ */"}) {
        expect(few + level,
               {"read acc 1", "read acc 2", "read sale 1", "read sale 2", "read sale 3"},
               Coverage::full);
        const bool told = all_of_many || level == " /* REPEATABLE READ */";
        const RecordedStatement& one = statement(many + level);
        EXPECT_EQ(one.coverage, told ? Coverage::full : Coverage::partial) << level;
        const Touched rows = touched(one);
        EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                                [](const auto& row) { return row.starts_with("read acc"); }),
                  told ? accounts() : 0)
            << level;
    }
}

/// Of what a result does not show, where the transaction has a snapshot. Elsewhere a column of it
/// tells the simple ones (mysql_constant_test.cpp).
TEST_P(MysqlReread, TellsWhatAResultCameFrom) {
    const Cases cases{
        {"select distinct item from sale where price > 1", {"read sale 1", "read sale 2"}},
        {"select bal, count(*) from acc where id < 3 group by bal having count(*) > 7",
         {"read acc 1", "read acc 2"}},
        {"select distinct n from item left join sale on sale.item = item.id and price > 2 where "
         "item.id < 3",
         {"read item 1", "read item 2", "read sale 2"}},
        {"select distinct a.bal from acc a join acc b on b.id = a.id where a.id < 3",
         {"read acc 1", "read acc 1", "read acc 2", "read acc 2"}},
        {"select count(*) from (select distinct item from sale where price > 1) d",
         {"read sale 1", "read sale 2"}},
        {"select distinct id from acc where id = 77", {}},
    };
    const Cases only_asked_for{
        {"select id from acc where id = 1 union select item from sale where id < 3",
         {"read acc 1", "read sale 1", "read sale 2"}},
        {"select id from acc where id < 3 except select id from sale where id < 3",
         {"read acc 1", "read acc 2", "read sale 1", "read sale 2"}},
    };
    run_each(cases, "REPEATABLE READ");
    run_each(only_asked_for, "REPEATABLE READ");
    run_each(only_asked_for, "READ COMMITTED");
    run_each(cases, "SERIALIZABLE");
    run_each(cases, "READ UNCOMMITTED");
    run("set session transaction isolation level repeatable read");
    run(only_asked_for.front().first + " -- alone");
    run("set sql_select_limit = 1");
    run(cases.front().first + " -- alone and limited");
    run("begin");
    run(cases.front().first + " -- limited");
    run("commit");
    end();
    for (const auto* all : {&cases, &only_asked_for}) {
        for (const auto& [sql, rows] : *all) {
            expect(sql + " /* REPEATABLE READ */", rows, Coverage::full);
        }
    }
    const auto untold = [this](const std::string& sql) {
        EXPECT_EQ(statement(sql).coverage, Coverage::opaque) << sql;
        EXPECT_TRUE(statement(sql).accesses.empty()) << sql;
    };
    for (const auto& [sql, rows] : cases) {
        untold(sql + " /* SERIALIZABLE */");
        untold(sql + " /* READ UNCOMMITTED */");
    }
    for (const auto& [sql, rows] : only_asked_for) untold(sql + " /* READ COMMITTED */");
    untold(only_asked_for.front().first + " -- alone");
    untold(cases.front().first + " -- alone and limited");
    untold(cases.front().first + " -- limited");
}

/// Another transaction goes by between the statement and the question.
TEST_P(MysqlReread, NamesTheVersionThatTheResultCameFrom) {
    const std::string select = "select distinct price from sale";
    const std::string change = "update sale set price = 50 where id = 2";
    auto other = proxy_->client();
    run("begin");
    run(select);
    other->query(change);
    run(select + " -- again");
    run("update sale set price = 9 where id = 1");
    run(select + " -- own");
    run("commit");
    other.reset();
    end();
    for (const char* end : {"", " -- again", " -- own"}) {
        EXPECT_EQ(seen(select + end, "read sale 2"), history::Version::initial()) << end;
    }
    EXPECT_EQ(seen(select + " -- own", "read sale 1"),
              history::Version::written_by(statement("update sale set price = 9 where id = 1").id));
}

/// The snapshot has one version, the write goes by another one, for which it waited.
TEST_P(MysqlReread, NamesTheVersionThatAWriteWaitedFor) {
    const std::string select =
        "select id from acc where id < 3 and bal > "
        "(select max(price) from sale)";
    const std::string update =
        "update acc set bal = 7 where id < 3 and bal > "
        "(select max(price) from sale where item > 1)";
    const std::string change = "update sale set price = 50 where id = 2";
    if (GetParam() != MysqlFlavour::mysql) {
        run("set session innodb_snapshot_isolation = off");  // refuses such a write
    }
    auto other = proxy_->client();
    run("begin");
    run(select);
    other->query("begin");
    other->query(change);
    client_->send(mysql_command(3, update));
    await_lock_wait();
    other->query("commit");
    EXPECT_EQ(client_->read_reply(3).front().head(), 0);
    run("commit");
    other.reset();
    end();
    expect(select, {"read acc 1", "read acc 2", "read sale 1", "read sale 2", "read sale 3"},
           Coverage::full);
    expect(update, {"update acc 1", "update acc 2", "lock sale 2", "lock sale 3"}, Coverage::full);
    EXPECT_EQ(seen(select, "read sale 2"), history::Version::initial());
    EXPECT_EQ(seen(update, "lock sale 2"), history::Version::written_by(statement(change).id));
    EXPECT_EQ(seen(update, "lock sale 3"), history::Version::initial());
}

/// Who waits for what the transaction has locked is the same with and without isotap.
TEST_P(MysqlReread, LocksNothingMore) {
    const std::vector<std::string> reading{
        "update acc set bal = 7 where id = 1 and bal > (select v from item where id = 2)",
        "update acc set bal = (select v from item where id = 77) where id = 1",
        "update acc set bal = (select count(price) from sale where id < 3) where id = 2",
        "insert into acc select 61, max(price) from sale where item < 5",
    };
    const std::vector<std::string> others{
        "update item set v = 8 where id = 1",         "update item set v = 8 where id = 2",
        "update item set v = 8 where id = 3",         "insert into item values (50, 1, 'a', null)",
        "insert into item values (90, 1, 'b', null)", "update sale set note = 'z' where id = 2",
        "update sale set note = 'z' where id = 3",    "insert into sale values (0, 1, 1, 'z')",
        "insert into sale values (30, 1, 1, 'z')"};
    expect_same_locks({"begin"}, reading, "select 'asked for'", others);
    end();
    for (const std::string& sql : reading) {
        EXPECT_EQ(statement(sql).coverage, Coverage::full) << statement(sql).reason;
    }
}

/// Neither the warnings of a statement nor its counts are lost to a question of ours.
TEST_P(MysqlReread, KeepsTheClientsDiagnostics) {
    const auto talk = [](MysqlWire& wire) {
        std::string said;
        wire.query("set sql_mode = ''");
        for (const char* sql :
             {"begin",
              "update acc set bal = 'x' where id = 1 and bal > "
              "(select max(price) from sale)",
              "show warnings",
              "update acc set bal = 8 where id = 2 and bal > "
              "(select max(price) from sale)",
              "show warnings", "select row_count()", "select @@warning_count", "rollback"}) {
            for (const MysqlPacket& packet : wire.query(sql)) said += packet.payload + "\n";
        }
        return said;
    };
    MysqlWire direct({.port = there().port()});
    direct.log_in();
    direct.query("use shop");
    EXPECT_EQ(talk(*client_), talk(direct));
    end();
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlReread,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
