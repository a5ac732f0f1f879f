// `isotap schema` where the server refuses a table: the others have theirs, and nothing is hidden.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// Two tables as they are everywhere, and what stands between them by name.
class SchemaRefusals : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
        server_ = std::make_unique<MysqlServer>(MysqlOptions{.flavour = GetParam()});
        sql("create table first (id int primary key); insert into first values (1), (2); "
            "create table second (id int primary key); insert into second values (1); "
            "create table third (id int primary key); insert into third values (1), (2), (3)");
    }

    // NOLINTNEXTLINE(modernize-use-nodiscard): often for its effect
    std::string sql(const std::string& text) const { return server_->sql("use shop; " + text); }

    [[nodiscard]] std::vector<std::string> words(const std::string& action,
                                                 const std::string& user = "tap") const {
        return {isotap_program().string(), "schema", action,
                "mysql://" + user + "@127.0.0.1:" + std::to_string(server_->port()) + "/shop"};
    }
    [[nodiscard]] Finished schema(const std::string& action,
                                  const std::string& user = "tap") const {
        return run({.arguments = words(action, user)});
    }

    /// A client that has locked a table and stays.
    [[nodiscard]] std::unique_ptr<Process> holder_of(const std::string& table) const {
        auto holder = std::make_unique<Process>(
            Command{.arguments = {"mariadb", "--unbuffered", "-h127.0.0.1",
                                  "-P" + std::to_string(server_->port()), "-utap", "shop", "-e",
                                  "lock tables " + table +
                                      " write; select 'it is held';\n\\! tail -f /dev/null"}});
        holder->wait_for_line("it is held");
        return holder;
    }

    std::unique_ptr<MysqlServer> server_;
};

/// As many columns as InnoDB has.
std::string widest_table(const std::string& name) {
    constexpr int columns_max = 1017;
    std::string text = "create table " + name + " (c1 tinyint";
    for (int i = 2; i <= columns_max; ++i) {
        text += ", c" + std::to_string(i) + " tinyint";
    }
    return text + ")";
}

TEST_P(SchemaRefusals, KeepNoOtherTableFromTheColumns) {
    sql(widest_table("more") +
        "; create table overlong (t varchar(65000) character set latin1); "
        "insert into overlong values ('a')");
    const Finished added = schema("add");
    EXPECT_EQ(added.exit_code, 3);
    EXPECT_THAT(added.output,
                AllOf(HasSubstr("shop.first: 2 rows named\nshop.first: ready\n"),
                      ContainsRegex("shop.more: refused: .*Too many columns"),
                      HasSubstr("shop.overlong: refused: Row size too large"),
                      HasSubstr("shop.third: 3 rows named\nshop.third: ready\n"),
                      HasSubstr("\nisotap: 3 of 5 tables have the columns, the server refused the "
                                "rest: put that right and start again\n  shop.more: "),
                      HasSubstr("\n  shop.overlong: Row size too large")));
    const Finished status = schema("status");
    EXPECT_EQ(status.exit_code, 0);
    EXPECT_EQ(status.output,
              "shop.first: ready\nshop.more: absent\nshop.overlong: absent\n"
              "shop.second: ready\nshop.third: ready\n");
    const Finished again = schema("add");
    EXPECT_EQ(again.exit_code, 3);
    EXPECT_THAT(again.output, AllOf(Not(HasSubstr("rows named")), HasSubstr("isotap: 3 of 5")));
    sql("alter table more drop column c1, drop column c2; "
        "alter table overlong modify t varchar(600) character set latin1");
    const Finished at_last = schema("add");
    EXPECT_EQ(at_last.exit_code, 0) << at_last.output;
    EXPECT_THAT(at_last.output, HasSubstr("shop.overlong: 1 rows named\nshop.overlong: ready\n"));
    EXPECT_EQ(schema("drop").exit_code, 0);
}

TEST_P(SchemaRefusals, OfTablesInUseAreNotTakenForAnswers) {
    const auto held_from_the_start = holder_of("second");
    const Finished added = schema("add");
    EXPECT_EQ(added.exit_code, 3);
    EXPECT_THAT(added.output, AllOf(HasSubstr("shop.second: refused: Lock wait timeout exceeded"),
                                    HasSubstr("shop.third: ready\n")));
    EXPECT_THAT(schema("status").output, HasSubstr("shop.second: absent\nshop.third: ready\n"));
    server_->kill();
    server_->start();
    EXPECT_EQ(schema("add").exit_code, 0);
    const auto held_afterwards = holder_of("second");
    const Finished status = schema("status");
    EXPECT_EQ(status.exit_code, 3);
    EXPECT_THAT(status.output, AllOf(HasSubstr("shop.first: ready\nshop.second: not known, its "
                                               "rows cannot be looked at: Lock wait timeout"),
                                     HasSubstr("isotap: 2 of 3 tables could be looked at")));
    const Finished dropped = schema("drop");
    EXPECT_EQ(dropped.exit_code, 3);
    EXPECT_THAT(dropped.output, AllOf(HasSubstr("shop.first: dropped\n"),
                                      HasSubstr("shop.second: refused: Lock wait timeout"),
                                      HasSubstr("shop.third: dropped\n"),
                                      HasSubstr("isotap: 2 of 3 tables have lost the columns")));
}

TEST_P(SchemaRefusals, OfColumnsThatAreNeededKeepNoOtherTableFromDropping) {
    EXPECT_EQ(schema("add").exit_code, 0);
    sql("alter table second add column seen varchar(600) as (isotap_wlist) virtual");
    const Finished dropped = schema("drop");
    EXPECT_EQ(dropped.exit_code, 3);
    EXPECT_THAT(dropped.output,
                AllOf(HasSubstr("shop.first: dropped\nshop.second: refused: "),
                      HasSubstr("shop.third: dropped\n"), HasSubstr("\n  shop.second: ")));
    EXPECT_THAT(schema("status").output, HasSubstr("shop.first: absent\nshop.second: "));
    sql("alter table second drop column seen");
    EXPECT_EQ(schema("drop").output, "shop.second: dropped\n");
}

TEST_P(SchemaRefusals, ForWantOfARightAreOfOneTableOnlyWhereRightsAre) {
    sql("create user chosen@'%'; grant all on shop.first to chosen@'%'; "
        "grant select on shop.second to chosen@'%'; grant all on shop.third to chosen@'%'; "
        "create user reader@'%'; grant select on shop.* to reader@'%'");
    const Finished reader = schema("add", "reader");
    EXPECT_EQ(reader.exit_code, 3);
    EXPECT_THAT(reader.output, AllOf(HasSubstr("isotap: shop.first: the server refused (ALTER "),
                                     Not(HasSubstr("shop.second"))));
    const Finished chosen = schema("add", "chosen");
    EXPECT_EQ(chosen.exit_code, 3);
    EXPECT_THAT(chosen.output, AllOf(HasSubstr("shop.first: ready\n"),
                                     HasSubstr("shop.second: refused: ALTER command denied"),
                                     HasSubstr("shop.third: ready\n"),
                                     HasSubstr("isotap: 2 of 3 tables have the columns")));
}

/// On MySQL triggers write with the rights of who made them.
TEST_P(SchemaRefusals, LeaveNoTableThatClientsCannotWrite) {
    sql("create user chosen@'%'; grant all on shop.first to chosen@'%'; "
        "grant select, alter, create, insert, trigger on shop.second to chosen@'%'");
    EXPECT_THAT(schema("add", "chosen").output,
                HasSubstr("shop.second: refused: UPDATE command denied"));
    EXPECT_EQ(sql("insert into second values (7); select * from second"), "1\n7\n");
    EXPECT_THAT(schema("status").output, HasSubstr("shop.second: begun"));
}

TEST_P(SchemaRefusals, OfEveryTableEndItAtTheFirst) {
    sql("create user owner@'%'; grant all on shop.* to owner@'%'; set global read_only = 1");
    const Finished added = schema("add", "owner");
    EXPECT_EQ(added.exit_code, 3);
    EXPECT_THAT(added.output, AllOf(HasSubstr("isotap: shop.first: the server refused ("),
                                    HasSubstr("read-only"), Not(HasSubstr("shop.second"))));
}

TEST_P(SchemaRefusals, ByAServerThatIsGoneEndItWhereItWas) {
    const auto held = holder_of("second");
    Process adding(Command{.arguments = words("add")});
    const std::string waiting =
        "select count(*) from information_schema.processlist where info like 'alter table%'"
        " and state like 'Waiting for table metadata lock'";
    while (adding.running() && sql(waiting) == "0\n") {
    }
    server_->kill();
    EXPECT_EQ(adding.wait(), 3);
    EXPECT_THAT(adding.all_output(), AllOf(HasSubstr("shop.first: ready\n"),
                                           HasSubstr("isotap: shop.second: the server refused ("),
                                           Not(HasSubstr("shop.third"))));
}

INSTANTIATE_TEST_SUITE_P(Servers, SchemaRefusals,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         [](const auto& named) { return testing::PrintToString(named.param); });

}  // namespace
}  // namespace isotap::test
