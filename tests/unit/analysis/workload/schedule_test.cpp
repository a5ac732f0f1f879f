#include "analysis/workload/schedule.hpp"

#include <gtest/gtest.h>

#include "analysis/workload/scenario_reader.hpp"

namespace isotap::workload {
namespace {

Scenario scenario_of(std::string_view text) {
    return read_scenario(text, "test").value();
}

TEST(Schedule, KeepsTheOrderWhileNobodyWaits) {
    const Scenario scenario = scenario_of("conn_0> a\nconn_1> b\nconn_0> c\n");
    Schedule schedule(scenario, scenario.orders[0]);
    for (std::size_t turn = 0; turn < 3; ++turn) {
        EXPECT_EQ(schedule.next(), turn);
        schedule.submit(turn);
        EXPECT_TRUE(schedule.end(turn, false).empty());
    }
    EXPECT_EQ(schedule.next(), std::nullopt);
    EXPECT_EQ(schedule.first_left(), std::nullopt);
}

TEST(Schedule, LeavesBehindASessionThatWaitsAndTakesItUpFirstWhenItGoesOn) {
    const Scenario scenario =
        scenario_of("conn_0> a\nconn_1> waits\nconn_1> next\nconn_0> b\nconn_0> c\n");
    Schedule schedule(scenario, scenario.orders[0]);
    schedule.submit(0);
    schedule.end(0, false);
    schedule.submit(1);
    EXPECT_EQ(schedule.next(), 3U);
    EXPECT_EQ(schedule.first_left(), 1U);
    schedule.submit(3);
    schedule.end(3, false);
    schedule.end(1, false);
    EXPECT_EQ(schedule.next(), 2U) << "what stood behind comes before the rest of the file";
}

TEST(Schedule, HoldsASpecificationToItsOrder) {
    Scenario scenario = scenario_of("conn_0> waits\nconn_0> next\nconn_1> b\n");
    scenario.specification = true;
    Schedule schedule(scenario, scenario.orders[0]);
    schedule.submit(0);
    EXPECT_EQ(schedule.next(), std::nullopt);
    EXPECT_EQ(schedule.first_left(), 0U);
}

TEST(Schedule, DropsTheRestOfALostTransactionAndNothingElse) {
    const Scenario scenario = scenario_of(
        "conn_0> begin\nconn_0> lost\nconn_1> other\nconn_0> more\nconn_0> commit\n"
        "conn_0> begin\nconn_0> again\n");
    Schedule schedule(scenario, scenario.orders[0]);
    schedule.submit(0);
    schedule.end(0, false);
    schedule.submit(1);
    EXPECT_EQ(schedule.end(1, true), (std::vector<std::size_t>{3, 4}));
    EXPECT_EQ(schedule.next(), 2U);
    schedule.submit(2);
    schedule.end(2, false);
    EXPECT_EQ(schedule.next(), 5U);
}

TEST(Schedule, DropsUpToTheNextBeginWhenNobodyEndsTheTransaction) {
    const Scenario scenario =
        scenario_of("conn_0> begin\nconn_0> lost\nconn_0> more\nconn_0> begin\n");
    Schedule schedule(scenario, scenario.orders[0]);
    schedule.submit(0);
    schedule.end(0, false);
    schedule.submit(1);
    EXPECT_EQ(schedule.end(1, true), (std::vector<std::size_t>{2}));
}

TEST(Schedule, SeesThatAScenarioRollsBackItself) {
    const Scenario scenario = scenario_of(
        "conn_0> begin\nconn_0> fails\nconn_1> rollback\nconn_0> rollback to savepoint a\n");
    const Schedule schedule(scenario, scenario.orders[0]);
    EXPECT_TRUE(schedule.recovers(1));
    EXPECT_FALSE(schedule.recovers(2));
    EXPECT_FALSE(schedule.recovers(0));
}

TEST(Boundary, IsKnownByTheFirstWords) {
    for (const char* sql :
         {"begin", "BEGIN;", "Start Transaction read only", "-- x\n begin", "/* x */begin work"}) {
        EXPECT_EQ(boundary_of(sql), Boundary::begins) << sql;
    }
    for (const char* sql :
         {"commit", "END;", "rollback", "ROLLBACK WORK", "abort", "commit and chain"}) {
        EXPECT_EQ(boundary_of(sql), Boundary::ends) << sql;
    }
    for (const char* sql : {"rollback to a", "ROLLBACK WORK TO SAVEPOINT a", "start slave",
                            "select 'commit'", "", "/*", "beginning"}) {
        EXPECT_EQ(boundary_of(sql), Boundary::none) << sql;
    }
}

}  // namespace
}  // namespace isotap::workload
