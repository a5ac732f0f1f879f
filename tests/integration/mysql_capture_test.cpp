// `isotap proxy --mode instrument` in front of MariaDB and MySQL: clients see what they see
// directly, and what is recorded of their statements is what the statements did.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

using Way = std::tuple<MysqlFlavour, Manner, std::uint32_t>;

class MysqlCapture : public testing::TestWithParam<Way> {
  protected:
    void SetUp() override {
        if (!mysql_available(std::get<0>(GetParam()))) GTEST_SKIP() << "no such server here";
    }
};

TEST_P(MysqlCapture, AnswersAsTheServerItself) {
    const auto& [flavour, manner, capabilities] = GetParam();
    MysqlServer& there = server_of(flavour);
    make_tables(there);
    const auto direct = talk_about_the_shop({.port = there.port()}, capabilities, manner);
    make_tables(there);
    Recorded proxy(there);
    expect_same(direct, talk_about_the_shop(proxy.place(), capabilities, manner));
    EXPECT_EQ(proxy.surprises(), 0);
    RecordedHistory told;
    proxy.tell(told);
    int full = 0;
    for (const auto& [id, transaction] : told.transactions) {
        for (const RecordedStatement& statement : transaction.statements) {
            full += statement.coverage == history::Coverage::full && !statement.accesses.empty();
        }
    }
    EXPECT_GT(full, 30);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, MysqlCapture,
    testing::Combine(testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                     MysqlFlavour::mysql),
                     testing::Values(Manner::text, Manner::prepared, Manner::cursor),
                     testing::Values(0U, client_flag::deprecate_eof | client_flag::session_track)));

TEST_P(MysqlTruth, TellsWhatEachStatementTouched) {
    const std::vector<std::pair<std::string, Touched>> cases{
        {"\n  select bal, @@sql_mode from acc where id = 3", {"read acc 3"}},
        {"select * from acc where id in (1, 2) for update", {"lock acc 1", "lock acc 2"}},
        {"select bal from acc where id = 4 lock in share mode", {"lock acc 4"}},
        {"select sum(bal) from acc where id < 4", {"read acc 1", "read acc 2", "read acc 3"}},
        {"select a.bal from acc a join item i on a.id = i.id where i.id < 3",
         {"read acc 1", "read acc 2", "read item 1", "read item 2"}},
        {"select n from item where id = 2 union all select note from sale where id = 1",
         {"read item 2", "read sale 1"}},
        {"select * from acc where id = 77", {}},
        {"update acc set bal = bal + 1 where id < 3", {"update acc 1", "update acc 2"}},
        {"update acc set bal = 101 where id = 1", {"update acc 1"}},
        {"update acc set bal = 7 where id < 3 order by id desc limit 1", {"update acc 2"}},
        {"update acc set bal = 8 where id = 77", {}},
        {"update acc set id = 32 where id = 3", {"update acc 3"}},
        {"update item set v = v + 1, n = upper(n) where id in (1, 4)",
         {"update item 1", "update item 4"}},
        {"insert into acc values (40, 1), (41, 2)", {"insert acc 40", "insert acc 41"}},
        {"insert into acc set id = 42, bal = 3", {"insert acc 42"}},
        {"insert ignore into acc values (240, 1)", {"insert acc 240"}},
        {"insert into item (v, n) values (9, 'nine')", {"insert item 5"}},
        {"insert into acc select id + 200, v from item where id < 3",
         {"insert acc 201", "insert acc 202", "lock item 1", "lock item 2"}},
        {"delete from acc where id in (40, 41) and bal = 2", {"delete acc 41"}},
        {"delete from acc where id > 41 order by id limit 1", {"delete acc 42"}},
        {"delete from sale where id = 1 returning note", {"delete sale 1"}},
        {"delete from acc where 0 = 1 and id = 2", {}},
        {"delete from acc where id = 1000", {}},
        {"delete from acc where id between 11 and 9", {}},
        {"delete from acc where id between 11 and 9 returning bal", {}},
        {"delete from acc limit 0", {}},
        {"select bal from acc where id = 4", {"read acc 4"}},
    };
    for (const auto& [sql, expected] : cases) {
        run(sql);
    }
    end();
    for (const auto& [sql, expected] : cases) {
        const RecordedStatement& one = statement(sql);
        EXPECT_THAT(touched(one), UnorderedElementsAreArray(expected)) << sql;
        EXPECT_EQ(one.coverage, history::Coverage::full) << sql << ": " << one.reason;
    }
}

/// Inserts that may meet rows which are there.
TEST_P(MysqlTruth, TellsWhatInsertsMadeAndWhatTheyMet) {
    const std::vector<std::pair<std::string, Touched>> cases{
        {"insert into acc values (4, 1), (43, 2) on duplicate key update bal = bal + 1",
         {"update acc 4", "insert acc 43"}},
        {"insert into acc values (4, 1) on duplicate key update bal = bal", {"update acc 4"}},
        {"insert into acc values (44, 1), (44, 2), (5, 3) on duplicate key update"
         " bal = acc.bal + values(bal)",
         {"insert acc 44", "update acc 5"}},
        {"insert into acc values (6, 1), (6, 2) on duplicate key update bal = values(bal)",
         {"update acc 6"}},
        {"insert into acc set id = 45, bal = 1 on duplicate key update bal = 0", {"insert acc 45"}},
        {"insert into item (v, n) values (1, 'one') on duplicate key update v = v + 1",
         {"update item 1"}},
        {"insert ignore into acc values (46, 1), (47, 1)", {"insert acc 46", "insert acc 47"}},
        {"select bal from acc where id in (4, 6, 44)", {"read acc 4", "read acc 6", "read acc 44"}},
        {"replace into acc values (60, 1), (61, 2)", {"insert acc 60", "insert acc 61"}},
        {"replace acc set id = 62, bal = 3", {"insert acc 62"}},
        {"insert into item (id, v, n) values (70, 1, 'seventy'), (71, 2, 'more')",
         {"insert item 70", "insert item 71"}},
    };
    for (const auto& [sql, touched_rows] : cases) {
        run(sql);
    }
    const std::string failing =
        "insert into acc values (48, 1), (7, 1) on duplicate key update id = 8";
    EXPECT_EQ(client_->query(failing).front().head(), 0xff);
    const std::string after = "insert into acc values (49, 1) on duplicate key update id = 8";
    run(after);
    const std::string skipping = "insert ignore into acc values (46, 1), (50, 1)";
    run(skipping);
    const std::string replacing = "replace into acc values (60, 5), (63, 1)";
    run(replacing);
    const std::string twice = "replace into acc values (64, 1), (64, 2)";
    run(twice);
    end();
    for (const auto& [sql, touched_rows] : cases) {
        expect(sql, touched_rows, history::Coverage::full);
    }
    EXPECT_THAT(touched(statement(failing)), IsEmpty());
    expect(after, {"insert acc 49"}, history::Coverage::full);
    expect(skipping, {"insert acc 50"}, history::Coverage::partial, "rows that IGNORE skips");
    expect(replacing, {"insert acc 60", "insert acc 63"}, history::Coverage::partial,
           "rows that REPLACE removes");
    EXPECT_THAT(touched(statement(twice)), testing::Contains("insert acc 64"));
    EXPECT_EQ(statement(twice).coverage, history::Coverage::partial);
}

TEST_P(MysqlTruth, TellsNothingOfWhatFailedOrGoesOnAsItCame) {
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
    const std::string replace = "replace into acc select distinct 9, 1";
    run(replace);
    const std::string skipped = "insert ignore into acc values (9, 5)";
    run(skipped);
    run("select 'last'");
    end();
    for (const std::string& sql : failing) {
        EXPECT_THAT(touched(statement(sql)), IsEmpty()) << sql;
    }
    EXPECT_THAT(touched(statement(after)), ElementsAre("update acc 9"));
    EXPECT_EQ(statement(replace).coverage, history::Coverage::opaque);
    EXPECT_EQ(statement(replace).reason, "rows that REPLACE removes");
    EXPECT_EQ(statement(skipped).coverage, history::Coverage::partial);
    EXPECT_EQ(statement(skipped).reason, "rows that IGNORE skips");
}

/// A row that the transaction itself has written looks, in a snapshot, as others have left it,
/// where nothing tells of that write.
TEST_P(MysqlTruth, TellsReadsBehindAnUntoldWriteAsDoubtful) {
    there().sql(
        "use shop; create trigger follow after delete on item for each row"
        " update acc set bal = bal + 1 where id = old.id");
    const std::string before = "select bal from acc where id = 1";
    const std::string behind = "select bal from acc where id = 1 or id = 1";
    const std::string later = "select bal from acc where id = 1 and id = 1";
    const std::string firing = "delete from item where id = 1";
    for (const std::string write :
         {"update acc a join sale s on s.id = a.id set a.bal = 5 where a.id = 1", firing.c_str()}) {
        for (const std::string& sql : {std::string("begin"), before, write, behind}) {
            run(sql);
        }
        run("commit");
        run(later);
    }
    end();
    std::map<std::string, std::vector<Touched>> touched_by;
    for (const auto& [id, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            touched_by[one.text].push_back(touched(one));
        }
    }
    for (const std::string& sql : {before, later}) {
        EXPECT_THAT(touched_by[sql], testing::Each(ElementsAre("read acc 1"))) << sql;
    }
    EXPECT_THAT(touched_by[behind], testing::Each(ElementsAre("doubtful acc 1")));
    EXPECT_EQ(touched_by[behind].size(), 2U);
    expect(firing, {"delete item 1"}, history::Coverage::partial, "rows that triggers write");
}

class MysqlVersions : public MysqlTruth {};

/// Versions are those of the writers, in transactions and out of them, prepared once or not.
TEST_P(MysqlVersions, NamesTheVersionsThatWereSeenAndOverwritten) {
    constexpr std::uint8_t prepare = 0x16;
    constexpr std::uint8_t execute = 0x17;
    const std::string update = "update acc set bal = bal + 1 where id = 5";
    const auto prepared = client_->command(prepare, update);
    ASSERT_EQ(prepared.front().head(), 0);
    const std::string id = prepared.front().payload.substr(1, 4);
    const std::string execution = id + mysql_number(0, 1) + mysql_number(1, 4);
    for (int i = 0; i < 3; ++i) {
        run("begin");
        EXPECT_EQ(client_->command(execute, execution).front().head(), 0);
        run("commit");
    }
    run("begin");
    run("savepoint a");
    EXPECT_EQ(client_->command(execute, execution).front().head(), 0);
    run("rollback to a");
    const std::string seen = "select bal from acc where id = 5";
    run(seen);
    run("commit");
    end();
    history::Version last{};
    int updates = 0;
    for (const auto& [number, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            if (one.text != update) continue;
            ASSERT_THAT(touched(one), ElementsAre("update acc 5"));
            EXPECT_TRUE(updates == 0 || one.accesses.front().before == last);
            if (updates < 3) last = history::Version::written_by(one.id);
            ++updates;
        }
    }
    EXPECT_EQ(updates, 4);
    ASSERT_THAT(touched(statement(seen)), ElementsAre("read acc 5"));
    EXPECT_EQ(statement(seen).accesses.front().before, last) << "the savepoint took one back";
}

/// A row is told as changed exactly where the server counts it as changed.
TEST_P(MysqlTruth, TellsChangesOfEveryType) {
    there().sql(
        "use shop; drop table if exists kinds; create table kinds (id int primary key, d "
        "decimal(10,2), f float, g double, t datetime(3), s timestamp null, b bit(8), x longblob, "
        "n varchar(200), e enum('a','b')); insert into kinds values (1, 10.1, 16777215, 0.1, "
        "'2020-01-01 00:00:00.123', '2020-10-25 01:30:00', b'1', repeat('x', 3000000), 'abc', "
        "'a')");
    run_or_throw({.arguments = {isotap_program(), "schema", "add", there().url()}});
    const std::vector<std::string> changes{"d = 10.2",
                                           "d = 10.20",
                                           "d = null",
                                           "f = 16777216",
                                           "f = 16777216",
                                           "g = 0.3",
                                           "g = 0.3",
                                           "g = -0e0",
                                           "t = '2020-01-01 00:00:00.124'",
                                           "b = b'11'",
                                           "n = 'ABC'",
                                           "n = 'ABC'",
                                           "n = 'ABC '",
                                           "x = concat(x, 'y')",
                                           "x = x",
                                           "x = insert(x, 2000000, 1, 'z')",
                                           "n = repeat('n', 100)",
                                           "n = repeat('n', 100)",
                                           "e = 'b'",
                                           "e = 2",
                                           "d = 0, f = 0, g = 0"};
    std::vector<std::pair<std::string, bool>> expected;
    for (const std::string& change : changes) {
        const std::string sql = "update kinds set " + change + " where id = 1";
        const std::string counted = run(sql).front().payload.substr(1, 1);
        expected.emplace_back(sql, counted == std::string(1, 1));
        run("select " + std::to_string(expected.size()));
    }
    end();
    std::size_t at = 0;
    for (const auto& [number, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            if (one.text.find("kinds set") == std::string::npos) continue;
            ASSERT_EQ(one.accesses.size(), 1U) << one.text << ": " << one.reason;
            EXPECT_EQ(one.text, expected.at(at).first);
            EXPECT_EQ(transaction.lasting_writes().size(), expected[at++].second ? 1U : 0U)
                << one.text;
        }
    }
    EXPECT_EQ(at, expected.size());
    there().sql("drop table shop.kinds");
}

/// In some plans all assignments of an UPDATE see the row as it was. Either it tells as many
/// changes as the server counts, or nothing.
TEST_P(MysqlTruth, TellsNoUpdateWrongWhateverItsPlan) {
    const std::vector<std::string> conditions{
        "in (select id from item)",
        "in (select id from item) limit 2",
        "in (select id from item) order by id",
        "= any (select id from item where id > 1)",
        "in (select item from sale group by item)",
        "in (select x.id from (select * from acc) x where x.bal < 1000)",
        "< (select max(x.id) from (select id from acc) x)",
        "in (select i.id from item i join sale s on s.item = i.id)",
        "between 2 and (select max(id) from item)",
        "> 2 and exists (select 1 from sale where sale.item = acc.id)",
        "not in (select id + 3 from item) and id < 9",
        "in (1, 2, 3)"};
    std::vector<std::pair<std::string, std::size_t>> counted;
    for (const std::string& condition : conditions) {
        const std::string sql = "update acc set bal = bal + 1 where id " + condition;
        const auto count = static_cast<std::uint8_t>(run(sql).front().payload.at(1));
        counted.emplace_back(sql, count);
    }
    end();
    std::size_t told = 0;
    for (const auto& [id, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            for (const auto& [sql, count] : counted) {
                if (one.text != sql) continue;
                const bool untold = one.coverage == history::Coverage::opaque;
                EXPECT_EQ(transaction.lasting_writes().size(), untold ? 0 : count) << sql;
                told += untold ? 0 : 1;
            }
        }
    }
    EXPECT_GE(told, 3U);
}

/// What was prepared under one character set runs under every other.
TEST_P(MysqlTruth, MixesWithEveryCharacterSet) {
    constexpr std::uint8_t prepare = 0x16;
    constexpr std::uint8_t execute = 0x17;
    const std::vector<std::string> sets{
        "utf8mb4", "latin1", "gbk",     "sjis",
        "binary",  "cp1251", "utf8mb3", "utf8mb4 collate utf8mb4_bin"};
    const std::vector<std::string> texts{
        "update item set v = v + 1, n = if(n = 'a', 'b', 'a') where id = 2",
        "insert into sale select id + 100, id, v, n from item where id = 2",
        "delete from sale where id = 102",
        "select n, v from item where id = 2 for update",
        "insert into sale values (300, 1, 2, 'r')",
        "delete from sale where id = 300 returning note"};
    std::vector<std::string> prepared;
    for (const std::string& before : sets) {
        run("set names " + before);
        for (const std::string& text : texts) {
            EXPECT_NE(client_->query(text).front().head(), 0xff) << before << ": " << text;
            const auto reply = client_->command(prepare, text);
            ASSERT_EQ(reply.front().head(), 0) << before << ": " << text;
            prepared.push_back(reply.front().payload.substr(1, 4));
        }
    }
    for (const std::string& now : sets) {
        run("set names " + now);
        for (std::size_t i = 0; i < prepared.size(); ++i) {
            const auto reply =
                client_->command(execute, prepared[i] + mysql_number(0, 1) + mysql_number(1, 4));
            EXPECT_NE(reply.front().head(), 0xff)
                << sets[i / texts.size()] << ", then " << now << ": " << texts[i % texts.size()]
                << ": " << reply.front().payload;
        }
    }
    end();
    for (const auto& [number, transaction] : told_.transactions) {
        for (const RecordedStatement& one : transaction.statements) {
            if (std::find(texts.begin(), texts.end(), one.text) == texts.end()) continue;
            EXPECT_EQ(one.coverage, history::Coverage::full) << one.text << ": " << one.reason;
            EXPECT_FALSE(one.accesses.empty()) << one.text;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlVersions,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(Servers, MysqlTruth,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
