// What triggers tell of writes to Oracle's MySQL, statement by statement; and that the client's
// diagnostics stay what they are.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;
using testing::HasSubstr;
using testing::IsEmpty;

class MysqlTold : public MysqlTruth {
  protected:
    /// What a write has noted is asked for ahead of the next statement.
    void finish() {
        run("select 'last'");
        end();
    }
};

TEST_P(MysqlTold, TellsWhatEachStatementTouched) {
    const std::vector<std::pair<std::string, Touched>> cases{
        {"select sum(bal) from acc where id < 4", {"read acc 1", "read acc 2", "read acc 3"}},
        {"select * from acc where id in (1, 2) for update", {"lock acc 1", "lock acc 2"}},
        {"update acc set bal = bal + 1 where id < 3", {"update acc 1", "update acc 2"}},
        {"update acc set bal = 101 where id = 1", {"update acc 1"}},
        {"update acc set bal = 7 where id < 3 order by id desc limit 1", {"update acc 2"}},
        {"update acc set bal = 8 where id = 77", {}},
        {"update acc set id = 32 where id = 3", {"update acc 3"}},
        {"insert into acc values (40, 1), (41, 2)", {"insert acc 40", "insert acc 41"}},
        {"insert into acc set id = 42, bal = 3", {"insert acc 42"}},
        {"insert into item (v, n) values (9, 'nine')", {"insert item 5"}},
        {"insert into acc values (4, 1), (43, 2) on duplicate key update bal = bal + 1",
         {"update acc 4", "insert acc 43"}},
        {"insert into acc values (4, 1) on duplicate key update bal = bal", {"update acc 4"}},
        {"replace into acc values (5, 1), (44, 1)",
         {"delete acc 5", "insert acc 5", "insert acc 44"}},
        {"delete from acc where id in (40, 41) and bal = 2", {"delete acc 41"}},
        {"delete from acc where id > 42 order by id limit 1", {"delete acc 43"}},
        {"delete acc from acc where id = 44", {"delete acc 44"}},
        {"delete from acc where id = 1000", {}},
    };
    for (const auto& [sql, touched_rows] : cases) {
        run(sql);
    }
    const std::vector<std::pair<std::string, Touched>> joined{
        {"update acc a join item i on a.id = i.id set a.bal = i.v, i.v = i.v + 1 where i.id = 1",
         {"update acc 1", "update item 1"}},
        {"delete a from acc a join sale s on a.id = s.item where s.id = 2", {"delete acc 2"}},
    };
    for (const auto& [sql, touched_rows] : joined) {
        run(sql);
    }
    const std::string ignoring = "insert ignore into acc values (6, 1), (50, 1)";
    run(ignoring);
    const std::string copying = "insert into acc select id + 200, v from item where id < 3";
    run(copying);
    finish();
    for (const auto& [sql, touched_rows] : cases) {
        expect(sql, touched_rows, Coverage::full);
    }
    for (const auto& [sql, touched_rows] : joined) {
        expect(sql, touched_rows, Coverage::partial, "joined rows");
    }
    expect(ignoring, {"insert acc 50"}, Coverage::partial, "rows that IGNORE skips");
    expect(copying, {"insert acc 201", "insert acc 202"}, Coverage::partial, "insert from select");
}

TEST_P(MysqlTold, TellsNothingOfWhatFailed) {
    const std::vector<std::string> failing{
        "update item set n = 'one' where id > 0 order by id desc",  // the second of them
        "insert into acc values (50, 1), (1, 1)",
        "update acc set bal = 1 / nothing where id = 1",
    };
    for (const std::string& sql : failing) {
        EXPECT_EQ(client_->query(sql).front().head(), 0xff) << sql;
    }
    const std::string after = "update acc set bal = bal + 5 where id = 9";
    run(after);
    finish();
    for (const std::string& sql : failing) {
        EXPECT_THAT(touched(statement(sql)), IsEmpty()) << sql;
    }
    expect(after, {"update acc 9"}, Coverage::full);
}

/// What a client's trigger and function write is told with the statement.
TEST_P(MysqlTold, TellsWhatTheClientsOwnTriggersWrite) {
    there().sql(
        "create trigger shop.follow after update on shop.acc for each row "
        "update shop.sale set price = price + 1 where id = new.id");
    const std::string update = "update acc set bal = 0 where id in (1, 9)";
    run(update);
    finish();
    expect(update, {"update acc 1", "update acc 9", "update sale 1"}, Coverage::full);
    there().sql("drop trigger shop.follow");
}

/// A table that was altered behind the proxy's back: the server counts what no trigger compared.
TEST_P(MysqlTold, NoticesWhatItsTriggersDoNotKnow) {
    const std::string known = "update acc set bal = 0 where id = 1";
    run(known);
    there().sql("alter table shop.acc add column more int");
    const std::string unknown = "update acc set more = 1 where id = 1";
    run(unknown);
    there().sql("drop trigger " + there().sql("select concat('shop.', trigger_name) from "
                                              "information_schema.triggers where "
                                              "event_object_table = 'sale' and trigger_name like "
                                              "'isotap%' and event_manipulation = 'DELETE'"));
    const std::string removed = "delete from sale where id = 1";
    run(removed);
    finish();
    expect(known, {"update acc 1"}, Coverage::full);
    EXPECT_NE(statement(unknown).coverage, Coverage::full) << statement(unknown).reason;
    EXPECT_NE(statement(removed).coverage, Coverage::full) << statement(removed).reason;
    there().sql("alter table shop.acc drop column more");
}

TEST_P(MysqlTold, KeepsTheClientsDiagnostics) {
    run("update acc set bal = 1 where id = 1");
    EXPECT_EQ(client_->query("show warnings").size(), 6U) << "no row";
    const std::string ignoring = "update ignore acc set id = 2 where id = 1";
    run(ignoring);
    const auto warnings = client_->query("show warnings");
    ASSERT_EQ(warnings.size(), 7U);
    EXPECT_THAT(warnings.at(5).payload, HasSubstr("Duplicate entry"));
    const std::string behind = "update acc set bal = 2 where id = 1";
    run(behind);
    finish();
    EXPECT_EQ(statement(ignoring).reason, "rows not asked for");
    expect(behind, {"update acc 1"}, Coverage::full);
}

/// A client that asks to be told of every change of its session is told of no variable of ours.
TEST_P(MysqlTold, SaysNothingOfItsVariables) {
    const auto talk = [](const Endpoint& place) {
        there().sql("update shop.acc set bal = 100 where id = 1");
        MysqlWire wire(place);
        MysqlLogin login;
        login.capabilities = client_flag::deprecate_eof | client_flag::session_track;
        wire.log_in(login);
        std::string said;
        for (const char* sql :
             {"use shop", "update acc set bal = 1 where id = 1",
              "set session_track_state_change = on", "update acc set bal = 2 where id = 1",
              "set @mine = 1", "update acc set bal = 1 where id = 1",
              "delete from acc where id = 1000"}) {
            said += std::string(sql) + ": " + wire.query(sql).back().payload + '\n';
        }
        return said;
    };
    EXPECT_EQ(talk(proxy_->place()), talk({.port = there().port()}));
    client_.reset();
}

/// A text that nobody reads does not write under the name of the one before.
TEST_P(MysqlTold, NamesTheWriterForOneStatementAlone) {
    run("update acc set bal = 1 where id = 1");
    run("set @text = 'update acc set bal = 5 where id = 2'");
    run("prepare p from @text");
    run("execute p");
    finish();
    const std::string list = "select isotap_wlist from shop.acc where id = ";
    EXPECT_THAT(there().sql(list + "1"), HasSubstr("T0,T"));
    EXPECT_EQ(there().sql(list + "2"), "T0\n");
}

TEST_P(MysqlTold, MixesWithEveryCharacterSet) {
    const std::vector<std::string> texts{
        "update item set v = v + 1, n = if(n = 'a', 'b', 'a') where id = 2",
        "insert into sale values (300, 1, 2, 'r')", "delete from sale where id = 300"};
    for (const char* set : {"utf8mb4", "latin1", "gbk", "sjis", "binary", "cp1251", "utf8mb3",
                            "utf8mb4 collate utf8mb4_bin"}) {
        run("set names " + std::string(set));
        for (const std::string& text : texts) run(text);
    }
    finish();
    for (const auto& [number, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            if (std::find(texts.begin(), texts.end(), one.text) == texts.end()) continue;
            EXPECT_EQ(one.coverage, Coverage::full) << one.text << ": " << one.reason;
            EXPECT_EQ(one.accesses.size(), 1U) << one.text;
        }
    }
}

TEST_P(MysqlTold, CountsRowsThatAreTooMany) {
    there().sql(
        "use shop; set session cte_max_recursion_depth = 100000; insert into acc with recursive "
        "s (n) as (select 1000 union all select n + 1 from s where n < 99999) select n, 1 from s");
    const std::string update = "update acc set bal = bal + 1";
    run(update);
    finish();
    EXPECT_EQ(statement(update).coverage, Coverage::partial);
    EXPECT_EQ(statement(update).reason, "too many rows");
    EXPECT_EQ(there().sql("select count(distinct isotap_wlist) from shop.acc"), "1\n");
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlTold, testing::Values(MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
