// `isotap proxy --schema`: tables that clients make have the columns before they are used, and
// those of others stay as they are.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;

class ProxySchema : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
        server_ = std::make_unique<MysqlServer>(MysqlOptions{.flavour = GetParam()});
        server_->sql(
            "use shop; create table there (id int primary key, v int); create database other; "
            "insert into there values (1, 10)");
    }

    void start(const std::string& how) {
        // Plans wait until the columns are there, however slow this machine is.
        isotap_ = std::make_unique<IsotapProcess>(
            server_->url(),
            std::vector<std::string>{"--mode", "instrument", "--schema", how, "--record",
                                     recording(), "--limits.plan-wait", "30s"});
    }
    [[nodiscard]] std::filesystem::path recording() const { return folder_.path() / "r.isotap"; }

    /// By one client, each text as a command of its own.
    void say(const std::string& sql) const {
        run_or_throw(
            {.arguments = {"mariadb", "-h127.0.0.1", "-P" + std::to_string(isotap_->port()),
                           "-utap", "shop", "-e", sql}});
    }

    /// `database.table` of all that have both columns, and what they need besides.
    [[nodiscard]] std::string with_columns() const {
        std::string condition = "column_name = 'isotap_wlist'";
        if (GetParam() == MysqlFlavour::mysql) {
            condition +=
                " and (table_schema, table_name, 5) in (select event_object_schema, "
                "event_object_table, count(*) from information_schema.triggers group by 1, 2)";
        }
        return server_->sql(
            "select group_concat(table_schema, '.', table_name order by table_schema, table_name) "
            "from "
            "information_schema.columns where " +
            condition);
    }

    /// What was recorded of data statements: how many, and how many of them not in full.
    std::string coverage() {
        EXPECT_EQ(isotap_->stop(), 0);
        return run_or_throw(
            {.arguments = {"sqlite3", recording(),
                           "select count(*) || ' statements, not in full: ' || "
                           "ifnull(group_concat(case when coverage <> 'full' then sql || ': ' || "
                           "ifnull(reason, '') end, '; '), 'none') from statements "
                           "where coverage <> 'none'"}});
    }

    std::unique_ptr<MysqlServer> server_;
    std::unique_ptr<IsotapProcess> isotap_;
    TemporaryFolder folder_;
};

TEST_P(ProxySchema, GivesTheColumnsToTablesThatClientsMake) {
    start("auto");
    say("create table made (id int primary key, v int); insert into made values (1, 1); "
        "create table `copy` like made; insert into `copy` values (2, 2); "
        "create table other.far (id int primary key); insert into other.far values (3)");
    EXPECT_EQ(with_columns(), "other.far,shop.copy,shop.made\n");
    EXPECT_EQ(coverage(), "3 statements, not in full: none\n");
    EXPECT_EQ(with_columns(), "other.far,shop.copy,shop.made\n") << "they stay";
}

TEST_P(ProxySchema, KeepsThemWhereTablesAreChanged) {
    start("auto");
    say("create table made (id int primary key, v int); insert into made values (1, 1); "
        "alter table made add column w int; update made set w = 3; "
        "alter table made modify v bigint, drop column w; update made set v = 4; "
        "rename table made to called; update called set v = 5; "
        "alter table called rename to made; update made set v = 6");
    EXPECT_EQ(with_columns(), "shop.made\n");
    EXPECT_EQ(coverage(), "5 statements, not in full: none\n");
}

TEST_P(ProxySchema, LeavesAloneWhatClientsDidNotMake) {
    start("auto");
    server_->sql("use shop; create table beside (id int primary key)");
    say("create table if not exists there (id int primary key); update there set v = 11; "
        "create temporary table mine (id int); insert into mine values (1); "
        "rename table there to elsewhere; update elsewhere set v = 12; select * from beside; "
        "create view seen as select * from elsewhere; select * from seen");
    EXPECT_EQ(with_columns(), "NULL\n");
    EXPECT_THAT(coverage(), HasSubstr("table without versions"));
}

TEST_P(ProxySchema, GivesThemToWhatIsThereWhenAsked) {
    start("add");
    EXPECT_EQ(with_columns(), "shop.there\n") << "before clients come";
    say("update there set v = 11; create table made (id int primary key); "
        "insert into made values (1)");
    EXPECT_EQ(with_columns(), "shop.made,shop.there\n");
    EXPECT_EQ(coverage(), "2 statements, not in full: none\n");
}

TEST_P(ProxySchema, GivesThemToTheOthersWhereOneCannotHaveThem) {
    server_->sql(
        "use shop; create table overlong (t varchar(65000) character set latin1); "
        "insert into overlong values ('a'); create table zone (id int primary key)");
    start("add");
    EXPECT_EQ(with_columns(), "shop.there,shop.zone\n");
    EXPECT_THAT(isotap_->log(), HasSubstr("shop.overlong: the server refused (Row size too large"));
    say("update there set v = 11; create table made (id int primary key); insert into made values "
        "(1)");
    EXPECT_EQ(with_columns(), "shop.made,shop.there,shop.zone\n");
}

TEST_P(ProxySchema, ChangesNothingUnasked) {
    start("none");
    say("create table made (id int primary key); insert into made values (1); "
        "update there set v = 11");
    EXPECT_EQ(with_columns(), "NULL\n");
}

/// What somebody holds is not waited for, for others would wait behind.
TEST_P(ProxySchema, TriesAgainWhereATableWasInUse) {
    start("auto");
    say("create table made (id int primary key, v int); lock tables made write; "
        "insert into made values (1, 1); unlock tables; update made set v = 2; "
        "create table another (id int primary key); insert into another values (1)");
    EXPECT_EQ(with_columns(), "shop.another,shop.made\n") << isotap_->log();
    EXPECT_EQ(server_->sql("select * from shop.made"), "1\t2\n");
}

INSTANTIATE_TEST_SUITE_P(Servers, ProxySchema,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         [](const auto& named) { return testing::PrintToString(named.param); });

}  // namespace
}  // namespace isotap::test
