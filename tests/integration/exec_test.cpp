// `isotap exec`: programs find the private proxy, and end as they would without it.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Words = std::vector<std::string>;

class ExecTest : public testing::Test {
  protected:
    static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
    static void TearDownTestSuite() { server_.reset(); }

    [[nodiscard]] Command command(const Words& options, const Words& program) const {
        Command made{.arguments = {isotap_program(), "exec", "--upstream", server_->url()}};
        made.arguments.insert(made.arguments.end(), options.begin(), options.end());
        made.arguments.emplace_back("--");
        made.arguments.insert(made.arguments.end(), program.begin(), program.end());
        return made;
    }
    [[nodiscard]] Finished exec(const Words& options, const Words& program) const {
        return run(command(options, program));
    }
    [[nodiscard]] static std::string psql() { return server_->programs() / "psql"; }
    [[nodiscard]] std::filesystem::path file(const char* name) const {
        return folder_.path() / name;
    }

    static std::unique_ptr<PostgresServer> server_;
    TemporaryFolder folder_;
};

std::unique_ptr<PostgresServer> ExecTest::server_;

TEST_F(ExecTest, LeadsAProgramToItsProxyByTheEnvironment) {
    const Finished finished =
        exec({}, {psql(), "-XAtc", "select current_user || ' ' || current_database()"});
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.output,
                AllOf(HasSubstr("postgres postgres\n"), HasSubstr("1 transactions committed")));
}

TEST_F(ExecTest, FillsInAddressAndUrlInArguments) {
    const Finished finished = exec({}, {psql(), "-XAt", "{url}", "-c", "select 40 + 2"});
    EXPECT_THAT(finished.output, HasSubstr("42\n"));
    const Finished echoed = exec({}, {"echo", "{host}|{port}|{url}"});
    EXPECT_THAT(echoed.output, HasSubstr("127.0.0.1|"));
    EXPECT_THAT(echoed.output, Not(HasSubstr("{")));
}

TEST_F(ExecTest, SaysWhereNobodyCameOrNobodyWasThere) {
    EXPECT_THAT(exec({}, {"true"}).output, HasSubstr("true has made no connection to 127.0.0.1:"));
    for (const auto& [url, program] :
         {std::pair{"postgres://nobody@127.0.0.1:1/x", Words{psql(), "-c", "select 1"}},
          std::pair{"mysql://nobody@127.0.0.1:1/x",
                    Words{"mariadb", "--host={host}", "--port={port}", "--execute=select 1"}}}) {
        Command nowhere = command({}, program);
        nowhere.arguments[3] = url;
        const Finished finished = run(nowhere);
        EXPECT_NE(finished.exit_code, 0);
        EXPECT_THAT(finished.output,
                    AllOf(HasSubstr("the server"), HasSubstr("Connection refused"),
                          HasSubstr("1 of 1 connections found no server at 127.0.0.1:1")));
    }
    EXPECT_THAT(exec({}, {psql(), "-c", "select 1"}).output, Not(HasSubstr("connections found")));
}

TEST_F(ExecTest, EndsAsTheProgramEnded) {
    EXPECT_EQ(exec({}, {"sh", "-c", "exit 7"}).exit_code, 7);
    EXPECT_EQ(exec({}, {"sh", "-c", "kill -9 $$"}).exit_code, 128 + SIGKILL);
    EXPECT_EQ(exec({}, {"no-such-program"}).exit_code, 2);
    EXPECT_EQ(exec({}, {}).exit_code, 2);
    EXPECT_EQ(exec({"--fail-on", "nothing"}, {"true"}).exit_code, 2);
}

TEST_F(ExecTest, PassesSignalsOn) {
    Process process(command({}, {"sh", "-c",
                                 "tail -f /dev/null & trap \"kill $!; echo got it; exit 5\" TERM; "
                                 "echo ready; wait"}));
    process.wait_for_line("ready");
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait(), 5);
    EXPECT_THAT(process.all_output(), HasSubstr("got it"));
}

TEST_F(ExecTest, HidesItsOwnSecretFromTheProgram) {
    Command made = command({}, {"sh", "-c", "env"});
    made.environment = {{"ISOTAP_UPSTREAM_PASSWORD", "s3cret"}, {"PGHOSTADDR", "10.0.0.1"}};
    const Finished finished = run(std::move(made));
    EXPECT_THAT(finished.output, Not(HasSubstr("ISOTAP_UPSTREAM_PASSWORD")));
    EXPECT_THAT(finished.output, Not(HasSubstr("PGHOSTADDR")));
    EXPECT_THAT(finished.output, HasSubstr("PGPASSWORD=s3cret\n"));
}

TEST_F(ExecTest, WritesReportsAndARecording) {
    const Finished finished =
        exec({"--json", file("r.json"), "--junit", file("r.xml"), "--html", file("r.html"),
              "--record", file("r.isotap")},
             {psql(), "-Xqc", "create table if not exists t (a int)", "-c", "select * from t"});
    ASSERT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_THAT(read_file(file("r.json")),
                AllOf(HasSubstr("\"isotap\":1"), HasSubstr("\"committed\":2")));
    EXPECT_THAT(read_file(file("r.xml")), HasSubstr("<testsuite"));
    EXPECT_THAT(read_file(file("r.html")), HasSubstr("<html"));
    EXPECT_TRUE(std::filesystem::exists(file("r.isotap")));
    const Finished rows =
        run({.arguments = {"sqlite3", file("r.isotap"), "select count(*) from transaction_ended"}});
    EXPECT_EQ(rows.output, "2\n");
}

/// Two sessions of which one overwrites what the other one has read.
TEST_F(ExecTest, FailsOnWhatItIsAskedToFailOn) {
    server_->sql(
        "drop table if exists tally; create table tally (id int primary key, n int); "
        "insert into tally values (1, 0)");
    const Words program{"sh", "-c", "psql='" + psql() + R"( -XqAt'
        $psql -c 'begin' -c 'select n from tally' \
              -c "\! $psql -c 'update tally set n = 1 where id = 1'" \
              -c 'update tally set n = 2 where id = 1' -c 'commit')"};
    EXPECT_EQ(exec({}, program).exit_code, 0) << "READ COMMITTED permits it";
    EXPECT_EQ(exec({"--fail-on", "violation", "--junit", file("p.xml")}, program).exit_code, 0);
    EXPECT_THAT(
        read_file(file("p.xml")),
        AllOf(Not(HasSubstr("<failure")), HasSubstr("failures=\"0\""), HasSubstr("lost update")));
    const Finished failed = exec({"--fail-on", "hazard", "--junit", file("r.xml")}, program);
    EXPECT_EQ(failed.exit_code, 1) << failed.output;
    EXPECT_THAT(failed.output, HasSubstr("lost update"));
    EXPECT_THAT(read_file(file("r.xml")), AllOf(HasSubstr("<failure"), HasSubstr("lost update")));
}

TEST_F(ExecTest, RefusesARecordingThatCannotBeMade) {
    const Finished finished = exec({"--record", "/proc/nowhere/r.isotap"}, {"true"});
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_THAT(finished.output, HasSubstr("cannot record into"));
}

TEST_F(ExecTest, RefusesAReportThatCannotBeWritten) {
    const Finished finished = exec({"--json", "/proc/nowhere/r.json"}, {"true"});
    EXPECT_EQ(finished.exit_code, 2) << "as check and run do";
    EXPECT_THAT(finished.output, HasSubstr("cannot be written"));
}

TEST_F(ExecTest, LeavesTheSchemaOfPostgresAlone) {
    const Words program{psql(), "-Xqc", "create table if not exists keyless (v int)", "-c",
                        "insert into keyless values (1)"};
    for (const char* how : {"auto", "add", "none"}) {
        EXPECT_EQ(exec({"--schema", how}, program).exit_code, 0);
        EXPECT_EQ(server_->sql("select count(*) from pg_attribute where attname like 'isotap%'"),
                  "0\n");
    }
    EXPECT_EQ(exec({"--schema", "maybe"}, program).exit_code, 2);
}

class MariadbExec : public testing::Test {
  protected:
    void SetUp() override {
        if (!mysql_available(MysqlFlavour::mariadb)) {
            GTEST_SKIP() << "no MariaDB";
        }
        server_ = std::make_unique<MysqlServer>();
        server_->sql(
            "use shop; create table account (id int primary key, balance int); "
            "insert into account values (1, 100); create table had (id int)");
        run_or_throw(
            {.arguments = {isotap_program(), "schema", "add", server_->url(), "--tables", "had"}});
    }

    /// Tables that have the columns.
    [[nodiscard]] std::string lent() const { return server_->sql(tables_with_columns); }
    /// What the program itself sees of that while it runs.
    [[nodiscard]] Finished exec(const std::string& how) const {
        return exec(how, tables_with_columns);
    }
    [[nodiscard]] Finished exec(const std::string& how, const std::string& sql) const {
        return run(command({"--schema", how}, sql));
    }
    [[nodiscard]] Command command(const Words& options, const std::string& sql) const {
        Command made{.arguments = {isotap_program(), "exec", "--upstream", server_->url()}};
        made.arguments.insert(made.arguments.end(), options.begin(), options.end());
        for (const char* word : {"--", "mariadb", "-h{host}", "-P{port}", "-utap", "-N", "shop"}) {
            made.arguments.emplace_back(word);
        }
        made.arguments.insert(made.arguments.end(), {"-e", sql});
        return made;
    }

    const std::string tables_with_columns =
        "select group_concat(table_name order by 1) from information_schema.columns where "
        "column_name = 'isotap_rowid' and table_schema = 'shop'";
    std::unique_ptr<MysqlServer> server_;
};

TEST_F(MariadbExec, LendsTheColumnsForTheRun) {
    const Finished finished = exec("auto");
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("account,had\n"));
    EXPECT_EQ(lent(), "had\n") << "what was there before stays, the rest goes";
}

TEST_F(MariadbExec, LendsThemToTablesThatTheProgramMakes) {
    const Finished finished =
        exec("auto",
             "create table made (id int primary key, v int); insert into made values (1, 10); "
             "create table copy like made; insert into copy values (1, 10); "
             "update copy set v = 11; select v from made; " +
                 tables_with_columns);
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("account,copy,had,made\n"));
    EXPECT_THAT(finished.output, HasSubstr("4 statements, 4 captured, 0 in part, 0 not at all"));
    EXPECT_EQ(lent(), "had\n");
}

TEST_F(MariadbExec, TakesThemBackFromTheOthersWhereOneHasToKeepThem) {
    const Finished finished =
        exec("auto",
             "create table behind (id int primary key); insert into behind values (1); "
             "alter table account add column seen varchar(600) as (isotap_wlist) virtual");
    EXPECT_EQ(finished.exit_code, 0) << finished.output;
    EXPECT_THAT(finished.output, AllOf(HasSubstr("lent columns had to stay: shop.account: "),
                                       HasSubstr("take them away with 'isotap schema drop URL'")));
    EXPECT_EQ(lent(), "account,had\n") << "and not the one behind it";
}

TEST_F(MariadbExec, TakesNothingBackFromADatabaseThatIsGone) {
    const Finished finished =
        exec("auto",
             "create database brief; use brief; create table made (id int primary key); "
             "insert into made values (1); drop database brief");
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.output,
                AllOf(HasSubstr("0 in part, 0 not at all"), Not(HasSubstr("lent"))));
    EXPECT_EQ(lent(), "had\n");
}

TEST_F(MariadbExec, KeepsThemOrLeavesAllAsItIs) {
    EXPECT_THAT(exec("none").output, testing::StartsWith("had\n"));
    EXPECT_EQ(lent(), "had\n");
    EXPECT_THAT(exec("add").output, HasSubstr("account,had\n"));
    EXPECT_EQ(lent(), "account,had\n");
}

TEST_F(MariadbExec, TakesTheWordOfTheEnvironmentWhereNoOptionIsGiven) {
    Command silent = command({}, tables_with_columns);
    silent.environment = {{"ISOTAP_SCHEMA", "none"}};
    EXPECT_THAT(run(std::move(silent)).output, testing::StartsWith("had\n"));
    Command given = command({"--schema", "auto"}, tables_with_columns);
    given.environment = {{"ISOTAP_SCHEMA", "none"}};
    EXPECT_THAT(run(std::move(given)).output, HasSubstr("account,had\n"));
    EXPECT_EQ(lent(), "had\n") << "lent for the run, whatever the environment says";
    Command wrong = command({}, tables_with_columns);
    wrong.environment = {{"ISOTAP_SCHEMA", "maybe"}};
    const Finished refused = run(std::move(wrong));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.output, HasSubstr("ISOTAP_SCHEMA: 'maybe' is not known"));
}

}  // namespace
}  // namespace isotap::test
