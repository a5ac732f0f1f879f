// The built-in scenarios on real servers, through an isotap of their own: what they expect is what
// happens, what happens is found and nothing else, and it is the same each time.
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

constexpr std::chrono::minutes patience{30};

Finished isotap_run(const std::string& url, std::vector<std::string> options) {
    std::vector<std::string> arguments{build_folder() / "isotap", "run", "--target", url};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run({.arguments = arguments}, patience);
}

/// How often each scenario runs: ISOTAP_SCENARIO_REPEAT, else little enough for every build.
std::string times(const char* otherwise) {
    const char* asked = std::getenv("ISOTAP_SCENARIO_REPEAT");  // NOLINT(concurrency-mt-unsafe)
    return asked == nullptr ? otherwise : asked;
}

/// The published results of one server, made again. The catalogue's expectations are judged on the
/// way: a difference shows as a mark that no published result has.
void expect_published(const std::string& url) {
    const std::string published = read_file(source_folder() / "docs/SCENARIO_RESULTS.md");
    const Finished made =
        run({.arguments = {"python3", source_folder() / "tests/scenarios/results_table.py",
                           build_folder() / "isotap", url}},
            patience);
    EXPECT_EQ(made.exit_code, 0) << made.output;
    EXPECT_NE(made.output.find("| G0 |"), std::string::npos) << made.output;
    EXPECT_NE(published.find(made.output), std::string::npos) << made.output;
}

class OnPostgres : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) GTEST_SKIP() << "this version cannot be had here";
    }
};

TEST_P(OnPostgres, TheCatalogueGivesTheResultsThatAreInTheDocuments) {
    const PostgresServer server({.version = GetParam()});
    expect_published(server.url());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, OnPostgres, testing::Values(12, 15, 18),
                         [](const auto& version) { return std::to_string(version.param); });

class OnMysql : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    }
};

/// With the binary log, as MySQL comes: without it an update of columns that it does not read makes
/// a version even where it writes what is there, unless a trigger reads them (MDEV-26642).
TEST_P(OnMysql, TheCatalogueGivesTheResultsThatAreInTheDocuments) {
    std::vector<std::string> settings{"performance-schema=ON"};
    if (GetParam() == MysqlFlavour::mysql) settings.emplace_back("log-bin=changes");
    const MysqlServer server({.flavour = GetParam(), .settings = std::move(settings)});
    expect_published(server.url());
}

/// Every picture of who waits takes MariaDB a tenth of a second: fewer files, many times.
TEST_P(OnMysql, WaitsAndDeadlocksAreTheSameEachTime) {
    const MysqlServer server({.flavour = GetParam(), .settings = {"performance-schema=ON"}});
    const Finished done =
        isotap_run(server.url(), {"deadlock", "G0", "P4", "three-waiters", "--direct", "--levels",
                                  "read committed,serializable", "--repeat", times("10")});
    EXPECT_EQ(done.exit_code, 0) << done.output;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, OnMysql,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         [](const auto& flavour) { return testing::PrintToString(flavour.param); });

TEST(ScenarioRuns, ReproduceWhatWasReportedForMariadb) {
    const MysqlServer server({.flavour = MysqlFlavour::mariadb});
    const Finished seen =
        isotap_run(server.url(), {"MDEV-26642", "--direct", "--levels", "repeatable read"});
    EXPECT_EQ(seen.exit_code, 0) << seen.output;
    EXPECT_NE(seen.output.find("(10,0) (1,1) (10,2)"), std::string::npos) << seen.output;
    EXPECT_NE(seen.output.find("MDEV-26642  happens"), std::string::npos) << seen.output;
    const Finished passed =
        isotap_run(server.url(), {"MDEV-30835", "--direct", "--levels", "read committed"});
    EXPECT_EQ(passed.exit_code, 0) << passed.output;
    EXPECT_NE(passed.output.find("MDEV-30835  happens"), std::string::npos) << passed.output;
}

TEST(ScenarioRuns, SayWhatDiffersFromTheExpectationInEveryReport) {
    if (!postgres_programs(15)) GTEST_SKIP() << "this version cannot be had here";
    const PostgresServer server;
    const TemporaryFolder folder;
    const auto file = folder.path() / "wrong.scenario";
    write_file(file, "conn_0> select 1\n  expect rows: (2)\n");
    const auto page = folder.path() / "page.html";
    const auto junit = folder.path() / "junit.xml";
    const Finished done = isotap_run(
        server.url(), {file, "--html", page, "--junit", junit, "--levels", "serializable"});
    EXPECT_EQ(done.exit_code, 1) << done.output;
    const std::string wrong = "wrong.scenario:2:10: expected rows (2), there was rows (1)";
    for (const std::string& text : {done.output, read_file(page), read_file(junit)}) {
        EXPECT_NE(text.find(wrong), std::string::npos) << text;
    }
}

TEST(ScenarioRuns, RefuseAFileThatCannotBeRead) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "bad.scenario";
    write_file(file, "name: x\nconn_0> select 1\n  expect blood\n");
    const Finished done = isotap_run("postgres://nobody@127.0.0.1:1/x", {file});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.output.find("bad.scenario:3:10: expected rows, affected"), std::string::npos)
        << done.output;
}

TEST(ScenarioRuns, GiveTheSameScheduleEachTime) {
    if (!postgres_programs(15)) GTEST_SKIP() << "this version cannot be had here";
    const PostgresServer server;
    const Finished done =
        isotap_run(server.url(), {"--levels", "serializable", "--repeat", times("5")});
    EXPECT_EQ(done.exit_code, 0) << done.output;
}

TEST(ScenarioRuns, LeaveNothingBehindOnTheServer) {
    if (!postgres_programs(15)) GTEST_SKIP() << "this version cannot be had here";
    PostgresServer server;
    EXPECT_EQ(isotap_run(server.url(), {"G0"}).exit_code, 0);
    EXPECT_EQ(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'isotap%'"), "0\n");
}

}  // namespace
}  // namespace isotap::test
