// What a result of MariaDB or MySQL does not show, outside of a transaction that has a snapshot: a
// column that is the same in all of its rows tells it, and nothing else than it.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;

class MysqlConstant : public MysqlTruth {
  protected:
    using Cases = std::vector<std::pair<std::string, Touched>>;

    /// At READ COMMITTED in a transaction, and alone.
    void run_each(const Cases& cases) {
        run("set session transaction isolation level read committed");
        for (const auto& [sql, rows] : cases) {
            run("begin");
            run(sql + " /* READ COMMITTED */");
            run("rollback");
        }
        run("set session transaction isolation level repeatable read");
        for (const auto& [sql, rows] : cases) run(sql + " /* alone */");
        run("set autocommit = 0");
        for (const auto& [sql, rows] : cases) {
            run(sql + " /* first */");
            run("rollback");
        }
        run("set autocommit = 1");
    }

    void expect_each(const Cases& cases, Coverage coverage, const std::string& reason = {}) {
        for (const auto& [sql, rows] : cases) {
            for (const char* where : {" /* READ COMMITTED */", " /* alone */", " /* first */"}) {
                expect(sql + where, rows, coverage, reason);
            }
        }
    }
};

TEST_P(MysqlConstant, TellsWhatAResultWasMadeOf) {
    const Cases cases{
        {"select distinct item from sale where price > 1", {"read sale 1", "read sale 2"}},
        {"select distinct price, note from sale where id in (1, 3) or item = 2 order by 1",
         {"read sale 1", "read sale 2", "read sale 3"}},
        {"select bal, count(*) from acc where id < 3 group by bal", {"read acc 1", "read acc 2"}},
        {"select bal, max(id) from acc where id < 3 group by 1 having count(*) > 1 order by 2",
         {"read acc 1", "read acc 2"}},
        {"select n from item where id between 2 and 3 group by v, n",
         {"read item 2", "read item 3"}},
        {"select distinct n from item left join sale on sale.item = item.id and price > 2 where "
         "item.id < 3",
         {"read item 1", "read item 2", "read sale 2"}},
        {"select distinct a.bal from acc a join acc b on b.id > a.id where a.id < 2 and b.id < 4",
         {"read acc 1", "read acc 2", "read acc 3"}},
        {"select count(*) from (select distinct item from sale where price > 1) d",
         {"read sale 1", "read sale 2"}},
        {"select count(*) from (select bal, id from acc group by bal, id) d",
         [] {
             Touched all;
             for (int id = 1; id <= 20; ++id) all.push_back("read acc " + std::to_string(id));
             return all;
         }()},
        {"select distinct bal from acc where id = 77", {}},
        {"select id, bal from acc where id = 77 group by id", {}},
    };
    run_each(cases);
    end();
    expect_each(cases, Coverage::full);
}

TEST_P(MysqlConstant, TellsWhatAnOffsetSkips) {
    const Cases cases{
        {"select id from sale order by id limit 1 offset 1", {"read sale 1", "read sale 2"}},
        {"select * from sale order by id desc limit 2, 1",
         {"read sale 1", "read sale 2", "read sale 3"}},
        {"select bal from acc a where bal > 50 or id = 2 order by bal, a.id limit 2, 2",
         {"read acc 1", "read acc 2", "read acc 3", "read acc 4"}},
        {"select id from sale order by id limit 0, 18446744073709551615",
         {"read sale 1", "read sale 2", "read sale 3"}},
    };
    const Cases nothing{{"select id from sale order by id limit 3, 2", {}},
                        {"select id from sale order by id limit 0 offset 2", {}}};
    const Cases partly{{"select item from sale order by item limit 1, 1", {"read sale 2"}}};
    run_each(cases);
    run_each(nothing);
    run_each(partly);
    end();
    expect_each(cases, Coverage::full);
    expect_each(nothing, Coverage::partial, "OFFSET hides rows");
    expect_each(partly, Coverage::partial, "OFFSET hides rows");
}

/// Groups that HAVING rejects, and what would be repeated in too many rows. A question behind the
/// statement tells the second, where there is a snapshot.
TEST_P(MysqlConstant, SaysSoWhereItTellsNothing) {
    const std::string rejected = "select bal from acc group by bal having count(*) > 70";
    const std::string many = "select distinct id, bal from acc";
    const std::string far = "select id from acc order by id limit 1001, 1";
    const std::string few = "select distinct bal from acc where id > 20 and id <= 720";
    there().sql(
        "insert into shop.acc with recursive s (n) as (select 21 union all select n + 1 from s "
        "where n < 900) select n, 100 from s");
    learn();
    for (const std::string& sql : {rejected, many, few}) run(sql);
    for (int id = 901; id < 1'010; ++id) {
        run("insert into acc values (" + std::to_string(id) + ", 1)");
    }
    run(far);
    run("set autocommit = 0");
    run(many + " -- with a snapshot");
    run("commit");
    end();
    expect(rejected, {}, Coverage::opaque, "GROUP BY");
    expect(many, {}, Coverage::opaque, "DISTINCT");
    expect(far, {"read acc 1002"}, Coverage::partial, "OFFSET hides rows");
    EXPECT_EQ(statement(few).coverage, Coverage::full);
    EXPECT_EQ(statement(few).accesses.size(), 700U);
    EXPECT_EQ(statement(many + " -- with a snapshot").coverage, Coverage::full);
    EXPECT_EQ(statement(many + " -- with a snapshot").accesses.size(), 1'009U);
}

/// Another transaction goes by between two statements of one that has no snapshot.
TEST_P(MysqlConstant, NamesTheVersionThatTheResultCameFrom) {
    const std::string select = "select distinct price from sale";
    const std::string page = "select price from sale order by id limit 2, 1";
    const std::string change = "update sale set price = 50 where id = 2";
    auto other = proxy_->client();
    run("set session transaction isolation level read committed");
    run("begin");
    run(select);
    run(page);
    other->query(change);
    run(select + " -- again");
    run(page + " -- again");
    run("commit");
    other.reset();
    end();
    for (const std::string& sql : {select, page}) {
        EXPECT_EQ(seen(sql, "read sale 2"), history::Version::initial()) << sql;
        EXPECT_EQ(seen(sql + " -- again", "read sale 2"),
                  history::Version::written_by(statement(change).id))
            << sql;
    }
}

/// Who waits for what a SELECT has locked is the same with and without isotap, also where the level
/// is for one transaction alone.
TEST_P(MysqlConstant, LocksNothingMore) {
    const std::vector<std::string> reading{"select distinct v from item where v > 1",
                                           "select n from item where n > 'o' group by n",
                                           "select v from item where v < 3 order by id limit 1, 1",
                                           "select v from item order by id limit 1 offset 1"};
    std::vector<std::string> others;
    for (const char* id : {"1", "2", "3", "4"}) {
        others.push_back("update item set v = 8 where id = " + std::string(id));
    }
    expect_same_locks({"set transaction isolation level serializable", "begin"}, reading,
                      "select 'asked for'", others);
    end();
    expect(reading.front(), {}, Coverage::opaque, "DISTINCT");
    EXPECT_EQ(statement(reading.back()).coverage, Coverage::partial);
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlConstant,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
