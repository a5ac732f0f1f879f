// What is told of statements on whole tables, and on tables that nobody else sees: MariaDB, MySQL.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/mysql_truth.hpp"

namespace isotap::test {
namespace {

using history::Coverage;
using testing::ElementsAre;
using testing::IsEmpty;

class MysqlTables : public MysqlTruth {};

TEST_P(MysqlTables, TellsWhichOneWasEmptied) {
    constexpr std::uint8_t prepare = 0x16;
    constexpr std::uint8_t execute = 0x17;
    const std::string alone = "truncate sale";
    const std::string named = "truncate table shop . acc";
    const std::string within = "truncate table item";
    const std::string executed = "truncate table sale";
    run(alone);
    run(named);
    run("begin");
    run("update item set v = v + 1 where id = 1");
    run(within);
    const auto prepared = client_->command(prepare, executed);
    ASSERT_EQ(prepared.front().head(), 0);
    const auto reply = client_->command(
        execute, prepared.front().payload.substr(1, 4) + mysql_number(0, 1) + mysql_number(1, 4));
    EXPECT_EQ(reply.front().head(), 0);
    end();
    for (const auto& [sql, table] : {std::pair(alone, "shop.sale"), std::pair(named, "shop.acc")}) {
        EXPECT_THAT(statement(sql).emptied, ElementsAre(table));
        EXPECT_EQ(statement(sql).coverage, Coverage::full) << statement(sql).reason;
    }
    for (const std::string& sql : {within, executed}) {
        EXPECT_THAT(statement(sql).emptied, IsEmpty()) << sql;
        EXPECT_EQ(statement(sql).coverage, Coverage::opaque) << sql;
        EXPECT_EQ(statement(sql).reason, "truncate") << sql;
    }
}

TEST_P(MysqlTables, CountNoStatementsOnTemporaryOnes) {
    run("create temporary table held (id int)");
    const std::vector<std::string> unseen{
        "insert into held values (1), (2)", "select * from `held` h where h.id = 1",
        "update held set id = 3 where id in (select * from (select 1) one)", "truncate held",
        "delete from held"};
    const std::vector<std::string> seen{"insert into held select id from item",
                                        "select * from held, acc where acc.id = held.id",
                                        "with item as (select * from held) select * from item"};
    for (const auto& statements : {unseen, seen}) {
        for (const std::string& sql : statements) {
            run(sql);
        }
    }
    run("create table HELD (id int primary key)");
    const std::string another = "select * from HELD";
    run(another);
    run("drop table HELD");
    run("drop temporary table held");
    run("create table held (id int primary key)");
    const std::string anybodys = "select count(*) from held";
    run(anybodys);
    run("drop table held");
    end();
    for (const std::string& sql : unseen) {
        EXPECT_EQ(statement(sql).coverage, Coverage::none) << sql << ": " << statement(sql).reason;
    }
    for (const std::string& sql : seen) {
        EXPECT_EQ(statement(sql).coverage, Coverage::opaque) << sql;
        EXPECT_EQ(statement(sql).reason, "temporary table") << sql;
    }
    for (const std::string& sql : {another, anybodys}) {
        EXPECT_EQ(statement(sql).coverage, Coverage::opaque) << sql;
    }
}

/// What is asked ahead of the first statement leaves no trace. (MariaDB itself tells what the
/// client has found whom the same thread served before.)
TEST_P(MysqlTables, ASessionThatHasSelectedNothingHasFoundNothing) {
    MysqlWire client(proxy_->place());
    client.log_in();
    client.query("set @a = 1");
    EXPECT_EQ(client.query("select found_rows()").at(3).payload, (std::string{'\x01', '0'}));
}

/// A table that hides another one must not be taken for it, however it came.
TEST_P(MysqlTables, NothingIsToldBehindOneThatSeveralStatementsMade) {
    auto client = std::make_unique<MysqlWire>(proxy_->place());
    client->log_in({.capabilities = client_flag::multi_statements});
    client->query("use shop");
    // DO may run anything: from there on the text goes as it came, and nobody follows it.
    client->query("do 1; create temporary table acc (id int primary key, bal int)");
    const std::string hidden = "insert into acc values (1, 1)";
    EXPECT_EQ(client->query(hidden).front().head(), 0);
    client.reset();
    end();
    EXPECT_EQ(statement(hidden).coverage, Coverage::opaque);
    EXPECT_EQ(statement(hidden).reason, "settings in several statements");
    EXPECT_THAT(statement(hidden).accesses, IsEmpty());
}

TEST_P(MysqlTables, NothingIsToldOfOneThatAPartOfATextHasMade) {
    auto client = std::make_unique<MysqlWire>(proxy_->place());
    client->log_in({.capabilities = client_flag::multi_statements});
    client->query("use shop; create temporary table acc (id int primary key, bal int); select 1");
    const std::string hidden = "insert into acc values (1, 1)";
    EXPECT_EQ(client->query(hidden).front().head(), 0);
    client.reset();
    end();
    EXPECT_EQ(statement(hidden).coverage, Coverage::none);
    EXPECT_THAT(statement(hidden).accesses, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlTables,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
