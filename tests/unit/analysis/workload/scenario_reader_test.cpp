#include "analysis/workload/scenario_reader.hpp"

#include <gtest/gtest.h>

namespace isotap::workload {
namespace {

using history::IsolationLevel;

Scenario scenario_of(std::string_view text) {
    const auto read = read_scenario(text, "folder/file.scenario");
    EXPECT_TRUE(read) << read.error().message("file");
    return read ? *read : Scenario{};
}

ScenarioError error_of(std::string_view text) {
    const auto read = read_scenario(text, "file");
    EXPECT_FALSE(read);
    return read ? ScenarioError{} : read.error();
}

TEST(ScenarioReader, TakesTheLinesOfTheThesisAsTheyStand) {
    const Scenario scenario = scenario_of(
        "        conn_0> SET GLOBAL TRANSACTION ISOLATION LEVEL\n"
        "                                {isolation_level.value};\n"
        "        conn_0> begin;\n"
        "        conn_1> update t set a = 10 where b = 1;\n");
    EXPECT_EQ(scenario.name, "file");
    ASSERT_EQ(scenario.steps.size(), 3U);
    EXPECT_EQ(scenario.steps[0].sql,
              "SET GLOBAL TRANSACTION ISOLATION LEVEL\n{isolation_level.value};");
    EXPECT_EQ(scenario.steps[2].session, 1U);
    EXPECT_EQ(scenario.sessions.size(), 2U);
    EXPECT_EQ(scenario.orders.at(0).size(), 3U);
    EXPECT_FALSE(scenario.expects());
}

TEST(ScenarioReader, TakesHeadersSetupAndComments) {
    const Scenario scenario = scenario_of(
        "-- a comment\n"
        "name: MDEV-26642\n"
        "link: https://example.org/26642\n"
        "description: It goes on\n"
        "  on the next line.\n"
        "engines: mariadb 10.11, postgres\n"
        "levels: REPEATABLE READ, serializable\n"
        "setup:\n"
        "  create table t(a int,\n"
        "    b int);\n"
        "  -- in between\n"
        "  insert into t values (0, 0);\n"
        "\n"
        "conn_0> select 1\r\n");
    EXPECT_EQ(scenario.name, "MDEV-26642");
    EXPECT_EQ(scenario.description, "It goes on on the next line.");
    EXPECT_EQ(scenario.setup, (std::vector<std::string>{"create table t(a int,\nb int);",
                                                        "insert into t values (0, 0);"}));
    EXPECT_EQ(scenario.steps.at(0).sql, "select 1");
    const auto runs = [&](const char* engine, const char* version, IsolationLevel level) {
        return scenario.where.holds({{engine, version}, level});
    };
    EXPECT_TRUE(runs("mariadb", "10.11.19", IsolationLevel::repeatable_read));
    EXPECT_FALSE(runs("mariadb", "10.110", IsolationLevel::repeatable_read));
    EXPECT_FALSE(runs("mariadb", "11.4", IsolationLevel::repeatable_read));
    EXPECT_TRUE(runs("postgres", "15", IsolationLevel::serializable));
    EXPECT_FALSE(runs("postgres", "15", IsolationLevel::read_committed));
    EXPECT_FALSE(runs("mysql", "9.7", IsolationLevel::serializable));
}

TEST(ScenarioReader, TakesEveryKindOfClaim) {
    const Scenario scenario = scenario_of(
        "conn_0> select * from t;\n"
        "  expect rows at READ COMMITTED on mysql: (1,'it''s',null) (-2.5,x,'')\n"
        "  expect rows:\n"
        "  expect affected 3\n"
        "  expect blocked by conn_1, conn_2 at SERIALIZABLE\n"
        "  expect error 40001 on postgres 15\n"
        "  expect error\n"
        "  expect done\n"
        "  happens if rows: (1)\n"
        "conn_2> commit;\n"
        "expect table t: (1,2)\n"
        "expect anomaly lost-update at REPEATABLE READ\n"
        "expect outcome aborted\n"
        "happens if table t: (1,2)\n");
    const auto& claims = scenario.steps.at(0).expected;
    ASSERT_EQ(claims.size(), 7U);
    EXPECT_EQ(claims[0].rows, (std::vector<Row>{{"1", "it's", std::nullopt}, {"-2.5", "x", ""}}));
    EXPECT_EQ(claims[0].condition.levels, std::vector{IsolationLevel::read_committed});
    EXPECT_EQ(claims[0].condition.servers, (std::vector<ServerPattern>{{"mysql", ""}}));
    EXPECT_TRUE(claims[1].rows.empty());
    EXPECT_EQ(claims[2].count, 3U);
    EXPECT_EQ(claims[3].sessions, (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(claims[4].word, "40001");
    EXPECT_EQ(claims[4].condition.servers, (std::vector<ServerPattern>{{"postgres", "15"}}));
    EXPECT_EQ(claims[5].word, "");
    EXPECT_EQ(claims[6].kind, ClaimKind::done);
    EXPECT_EQ(scenario.steps[0].symptoms.size(), 1U);
    ASSERT_EQ(scenario.expected.size(), 3U);
    EXPECT_EQ(scenario.expected[0].word, "t");
    EXPECT_EQ(scenario.expected[1].word, "lost-update");
    EXPECT_EQ(scenario.expected[2].fate, Fate::aborted);
    EXPECT_EQ(scenario.symptoms.size(), 1U);
    EXPECT_TRUE(scenario.expects());
}

struct Wrong {
    const char* text;
    Place place;
    const char* expected;  ///< a part of what the error says
    const char* found;
};

class ScenarioErrors : public testing::TestWithParam<Wrong> {};

TEST_P(ScenarioErrors, NameLineColumnAndWhatWasExpected) {
    const ScenarioError error = error_of(GetParam().text);
    EXPECT_EQ(error.place, GetParam().place) << error.message("file");
    EXPECT_NE(error.expected.find(GetParam().expected), std::string::npos) << error.expected;
    EXPECT_NE(error.found.find(GetParam().found), std::string::npos) << error.found;
}

INSTANTIATE_TEST_SUITE_P(
    Each, ScenarioErrors,
    testing::Values(
        Wrong{"", {1, 1}, "a statement", "the end of the file"},
        Wrong{"name: x\n", {2, 1}, "a statement", "the end of the file"},
        Wrong{"name:\n", {1, 6}, "the name", "the end of the line"},
        Wrong{"tables: t\n", {1, 1}, "name:, link:", "tables: t"},
        Wrong{"engines: oracle\n", {1, 10}, "an engine", "oracle"},
        Wrong{"engines: mysql; tidb\n", {1, 15}, "the end of the line", ";"},
        Wrong{"levels: READ TWICE\n", {1, 9}, "a level", "READ TWICE"},
        Wrong{"  select 1\n", {1, 3}, "'conn_N> statement'", "select 1"},
        Wrong{"conn_0>\n", {1, 8}, "a statement", "the end of the line"},
        Wrong{"conn_x> select 1\n", {1, 1}, "conn_0", "conn_x"},
        Wrong{"conn_64> select 1\n", {1, 1}, "below conn_64", "conn_64"},
        Wrong{"expect blocked\n", {1, 8}, "a statement before", "none"},
        Wrong{"conn_0> a\n  expect nothing\n", {2, 10}, "rows, affected", "nothing"},
        Wrong{"conn_0> a\n  expect rows (1)\n", {2, 15}, "':'", "(1)"},
        Wrong{"conn_0> a\n  expect rows: (1,\n", {2, 19}, "a value", "the end of the line"},
        Wrong{"conn_0> a\n  expect rows: (1 2)\n", {2, 19}, "',' or ')'", "2)"},
        Wrong{"conn_0> a\n  expect rows: ('x)\n", {2, 18}, "a quote", "x)"},
        Wrong{"conn_0> a\n  expect rows: 1\n", {2, 16}, "a row in parentheses", "1"},
        Wrong{"conn_0> a\n  expect affected many\n", {2, 19}, "how many rows", "many"},
        Wrong{"conn_0> a\n  expect blocked by nobody\n", {2, 21}, "a connection", "nobody"},
        Wrong{"conn_0> a\nexpect outcome good\n", {2, 16}, "prevented, blocked", "good"},
        Wrong{"conn_0> a\nexpect anomaly\n", {2, 15}, "the name of an anomaly", "the end"},
        Wrong{"conn_0> a\n  happens always\n", {2, 11}, "'if'", "always"},
        Wrong{"conn_0> a\n  happens if anomaly G0\n", {2, 14}, "rows, affected", "anomaly"},
        Wrong{"conn_0> a\n  expect blocked\n  more\n", {3, 3}, "'conn_N> statement'", "more"},
        Wrong{"# note\n", {1, 1}, "'-- comment'", "# note"},
        Wrong{"setup: select 1;\n", {1, 8}, "SQL indented below", "select 1"},
        Wrong{"setup:\nselect 1;\n", {2, 1}, "SQL in an indented line", "select 1"},
        Wrong{"engines: mysql tidb\n", {1, 16}, "','", "tidb"},
        Wrong{"conn 0> begin;\n", {1, 1}, "'conn_0> begin;'", "conn 0>"},
        Wrong{"conn_0 begin;\n", {1, 1}, "'conn_0> begin;'", "conn_0 begin"},
        Wrong{"conn_0> a\n  expects rows: (1)\n", {2, 3}, "'expect'", "expects"},
        Wrong{"conn_0> a\n  happened if done\n", {2, 3}, "'happens if'", "happened"},
        Wrong{"conn_0> a\nexpect anomaly lost update\n", {2, 16}, "lost-update", "lost update"},
        Wrong{"conn_0> a\n  expect rows: (1) at snapshot\n", {2, 20}, "before the colon", "at"},
        Wrong{"conn_0> a\n  expect rows on tidb at snapshot: (1)\n",
              {2, 23},
              "stands before 'on",
              "at snapshot"},
        Wrong{"conn_0> a\n  expect affected: 1\n", {2, 18}, "'affected 1'", ": 1"},
        Wrong{"conn_0> a\n  expect blocked by conn_1\n", {2, 10}, "has statements", "conn_1"}));

TEST(ScenarioReader, TakesForSqlWhatOnlyBeginsLikeALineOfItsOwn) {
    const auto read = read_scenario(
        "conn_0> select a,\n    expected_total,\n    happened_at,\n    connection_id()\n", "x");
    ASSERT_TRUE(read) << read.error().message("x");
    EXPECT_EQ(read->steps.size(), 1U);
}

TEST(ScenarioReader, KnowsEveryAnomalyThatRunsFindAndEnginesInAnyCase) {
    const auto read = read_scenario(
        "engines: MariaDB\nconn_0> a\nexpect anomaly G-single-predicate-commit\n"
        "expect anomaly G2\nexpect anomaly fractured-read as hazard\n",
        "x");
    ASSERT_TRUE(read) << read.error().message("x");
    EXPECT_EQ(read->where.servers.at(0).engine, "mariadb");
    EXPECT_EQ(read->expected.size(), 3U);
}

TEST(ScenarioReader, WritesErrorsAsCompilersDo) {
    EXPECT_EQ(error_of("engines: oracle\n").message("a.scenario"),
              "a.scenario:1:10: expected an engine: postgres, mysql, mariadb, tidb or "
              "cockroachdb, found 'oracle'");
}

}  // namespace
}  // namespace isotap::workload
