#include <gtest/gtest.h>

#include "analysis/workload/scenario_reader.hpp"

namespace isotap::workload {
namespace {

constexpr std::string_view two_sessions =
    "# comment\n"
    "setup { CREATE TABLE t (a int); }\n"
    "setup\n{\n  SELECT 1;\n}\n"
    "teardown { DROP TABLE t; }\n"
    "session s1\n"
    "setup { BEGIN; }\n"
    "step a1 { INSERT INTO t VALUES (1); }\n"
    "step a2 { COMMIT; }\n"
    "session \"s \"\"2\"\n"
    "step b1 { SELECT * FROM t; }\n"
    "teardown { ROLLBACK; }\n";

std::string orders_of(const Scenario& scenario) {
    std::string text;
    for (const auto& order : scenario.orders) {
        for (const Turn& turn : order) text += scenario.steps[turn.step].name + " ";
        text += "/ ";
    }
    return text;
}

TEST(SpecificationReader, ReadsSessionsStepsAndMakesAllOrders) {
    const auto read = read_specification(two_sessions, "folder/two.spec");
    ASSERT_TRUE(read) << read.error().message("two.spec");
    EXPECT_EQ(read->name, "two");
    EXPECT_TRUE(read->specification);
    EXPECT_EQ(read->setup, (std::vector<std::string>{"CREATE TABLE t (a int);", "SELECT 1;\n"}));
    EXPECT_EQ(read->teardown, (std::vector<std::string>{"DROP TABLE t;"}));
    EXPECT_EQ(read->sessions.at(0).setup, "BEGIN;");
    EXPECT_EQ(read->sessions.at(1).name, "s \"2");
    EXPECT_EQ(read->sessions.at(1).teardown, "ROLLBACK;");
    EXPECT_EQ(read->steps.at(0).sql, "INSERT INTO t VALUES (1);");
    EXPECT_EQ(orders_of(*read), "a1 a2 b1 / a1 b1 a2 / b1 a1 a2 / ");
}

TEST(SpecificationReader, ReadsPermutationsWithMarkers) {
    const auto read = read_specification(
        std::string(two_sessions) + "permutation a1(*) b1(a1, a2 notices 2) a2\npermutation b1\n",
        "two.spec");
    ASSERT_TRUE(read) << read.error().message("two.spec");
    EXPECT_EQ(orders_of(*read), "a1 b1 a2 / b1 / ");
    const auto& order = read->orders.front();
    EXPECT_EQ(order[0].markers.at(0).kind, Marker::Kind::waits);
    EXPECT_EQ(order[1].markers.at(0).kind, Marker::Kind::behind);
    EXPECT_EQ(order[1].markers.at(1).kind, Marker::Kind::notices);
    EXPECT_EQ(order[1].markers.at(1).notices, 2U);
}

TEST(SpecificationReader, SaysWhereAndWhatWasExpected) {
    struct Wrong {
        std::string text;
        Place place;
        std::string_view expected;
    };
    const std::string two(two_sessions);
    const std::vector<Wrong> all{
        {"", {1, 1}, "a session with a step"},
        {"table t", {1, 1}, "setup, teardown, session or permutation"},
        {"setup SELECT", {1, 7}, "'{' and SQL"},
        {"setup { SELECT 1;\n", {1, 8}, "'}'"},
        {"session 1", {1, 9}, "the name of the session"},
        {"session s\nstep a {}\nstep a {}", {3, 6}, "a name that no other step has"},
        {two + "permutation a1 c1", {15, 16}, "the name of a step"},
        {two + "permutation a1(*", {15, 17}, "',' or ')'"},
        {two + "permutation a1(b1 notices)", {15, 26}, "a number of notices"},
        {two + "permutation a1\nsession x", {16, 9}, "the name of a step"},
    };
    for (const Wrong& wrong : all) {
        const auto read = read_specification(wrong.text, "x.spec");
        ASSERT_FALSE(read) << wrong.text;
        EXPECT_EQ(read.error().expected.find(wrong.expected), 0U) << read.error().message("x");
        if (wrong.place.line < 16) {
            EXPECT_EQ(read.error().place, wrong.place) << read.error().message("x");
        }
    }
}

}  // namespace
}  // namespace isotap::workload
