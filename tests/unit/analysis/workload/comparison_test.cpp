#include "analysis/workload/comparison.hpp"

#include <gtest/gtest.h>

#include "analysis/workload/scenario_reader.hpp"

namespace isotap::workload {
namespace {

using history::IsolationLevel;

Scenario scenario_of(std::string_view text) {
    return read_scenario(text, "test").value();
}

Event ended(std::size_t turn, Answer answer, bool waited = false) {
    Event event;
    event.turn = turn;
    event.waited = waited;
    event.answer = std::move(answer);
    return event;
}

Event waiting(std::size_t turn, std::vector<std::size_t> blockers) {
    Event event;
    event.happening = Happening::waits;
    event.turn = turn;
    event.blockers = std::move(blockers);
    return event;
}

Answer rows(std::vector<Row> values) {
    Answer answer;
    answer.returns_rows = true;
    answer.rows = std::move(values);
    return answer;
}

Answer error(std::string state, bool conflict = false) {
    Answer answer;
    answer.failed = true;
    answer.state = std::move(state);
    answer.number = 1213;
    answer.message = "no";
    answer.conflict = conflict;
    return answer;
}

Run run_of(std::vector<Event> events, IsolationLevel level = IsolationLevel::read_committed) {
    Run run;
    run.setting = {{"postgres", "15.1"}, level};
    run.events = std::move(events);
    return run;
}

std::vector<std::string> texts(const Scenario& scenario, const Run& run) {
    std::vector<std::string> all;
    for (const Difference& one : differences(scenario, scenario.orders[0], run)) {
        all.push_back(one.text);
    }
    return all;
}

using Texts = std::vector<std::string>;

TEST(Comparison, TakesRowsInAnyOrder) {
    const Scenario scenario = scenario_of("conn_0> a\n  expect rows: (1,x) (2,null)\n");
    EXPECT_EQ(texts(scenario, run_of({ended(0, rows({{"2", std::nullopt}, {"1", "x"}}))})),
              Texts{});
    EXPECT_EQ(texts(scenario, run_of({ended(0, rows({{"2", "null"}, {"1", "x"}}))})),
              Texts{"expected rows (1,x) (2,null), there was rows (2,'null') (1,x)"});
    EXPECT_EQ(texts(scenario, run_of({})),
              Texts{"expected rows (1,x) (2,null), there was no answer"});
}

TEST(Comparison, CountsTheFirstClaimWhoseConditionHolds) {
    const Scenario scenario = scenario_of(
        "conn_0> a\n  expect rows at SERIALIZABLE: (1)\n  expect rows on mysql: (2)\n"
        "  expect rows: (3)\n  expect rows: (4)\n");
    EXPECT_EQ(texts(scenario, run_of({ended(0, rows({{"3"}}))})), Texts{});
    EXPECT_EQ(texts(scenario, run_of({ended(0, rows({{"1"}}))}, IsolationLevel::serializable)),
              Texts{});
    EXPECT_EQ(texts(scenario, run_of({ended(0, rows({{"3"}}))}, IsolationLevel::serializable)),
              Texts{"expected rows (1), there was rows (3)"});
}

TEST(Comparison, ReportsErrorsAndWaitsThatNobodyExpected) {
    const Scenario scenario = scenario_of("conn_0> a\n  expect rows: (1)\nconn_1> b\n");
    EXPECT_EQ(texts(scenario, run_of({ended(0, error("40001")), waiting(1, {0})})),
              (Texts{"no error was expected, there was error 40001 1213: no",
                     "no wait was expected, it was blocked by conn_0"}));
    const Scenario silent = scenario_of("conn_0> a\nconn_1> b\n");
    EXPECT_EQ(texts(silent, run_of({ended(0, error("40001")), waiting(1, {0})})), Texts{});
}

TEST(Comparison, KnowsAnErrorByStateOrNumber) {
    for (const char* code : {"40001", "1213", ""}) {
        const Scenario scenario =
            scenario_of("conn_0> a\n  expect error " + std::string(code) + "\n");
        EXPECT_EQ(texts(scenario, run_of({ended(0, error("40001"))})), Texts{}) << code;
        EXPECT_EQ(texts(scenario, run_of({ended(0, Answer{})})).size(), 1U) << code;
    }
    const Scenario other = scenario_of("conn_0> a\n  expect error 23505\n");
    EXPECT_EQ(texts(other, run_of({ended(0, error("40001"))})).size(), 1U);
}

TEST(Comparison, ComparesWhoBlocks) {
    const Scenario scenario =
        scenario_of("conn_0> a\nconn_1> b\nconn_2> c\n  expect blocked by conn_1, conn_0\n");
    EXPECT_EQ(texts(scenario, run_of({waiting(2, {0, 1})})), Texts{});
    EXPECT_EQ(texts(scenario, run_of({waiting(2, {1})})),
              Texts{"expected to be blocked, it was blocked by conn_1"});
    EXPECT_EQ(texts(scenario, run_of({})), Texts{"expected to be blocked, it was not blocked"});
}

TEST(Comparison, AsksNothingOfAStatementThatWasNotSent) {
    const Scenario scenario = scenario_of("conn_0> a\n  expect rows: (1)\n");
    Event dropped;
    dropped.happening = Happening::dropped;
    EXPECT_EQ(texts(scenario, run_of({dropped})), Texts{});
}

TEST(Comparison, LooksAtTablesAndAtAnomaliesWhereSomebodyWatched) {
    const Scenario scenario =
        scenario_of("conn_0> a\nexpect table t: (1)\nexpect anomaly lost-update\n");
    workload::Run run = run_of({ended(0, Answer{})});
    EXPECT_EQ(texts(scenario, run), Texts{"table t cannot be read"});
    run.tables["t"] = {{"2"}};
    run.sighting.anomalies.emplace();
    EXPECT_EQ(texts(scenario, run), (Texts{"expected table t (1), there was (2)",
                                           "expected anomaly lost-update, it was not found"}));
    run.tables["t"] = {{"1"}};
    run.sighting.anomalies->push_back({"lost-update", "lost update", "hazard", {}});
    EXPECT_EQ(texts(scenario, run), Texts{});
    run.sighting.anomalies->push_back({"G0", "dirty write", "violation", {}});
    EXPECT_EQ(texts(scenario, run), Texts{"expected no anomaly G0, there was one as violation"});
}

TEST(Comparison, KnowsAnAnomalyByItsSeverityWhereThatIsSaid) {
    const Scenario scenario = scenario_of(
        "conn_0> a\nexpect anomaly internal as violation at READ COMMITTED on postgres\n");
    workload::Run run = run_of({ended(0, Answer{})});
    run.sighting.anomalies = {{"internal", "", "violation", {}}};
    EXPECT_EQ(texts(scenario, run), Texts{});
    run.sighting.anomalies->front().severity = "hazard";
    EXPECT_EQ(texts(scenario, run),
              (Texts{"expected anomaly internal as violation, it was not found",
                     "expected no anomaly internal, there was one as hazard"}));
}

TEST(Comparison, TellsWhatBecameOfThePhenomenon) {
    const Scenario scenario = scenario_of(
        "conn_0> a\n  happens if rows: (1)\nconn_1> b\n  happens if affected 1\n"
        "expect outcome prevented\n");
    const auto fate = [&](std::vector<Event> events) {
        return fate_of(scenario, scenario.orders[0], run_of(std::move(events)));
    };
    Answer one;
    one.affected = 1;
    EXPECT_EQ(fate({ended(0, rows({{"1"}})), ended(1, one)}), Fate::happens);
    EXPECT_EQ(fate({ended(0, rows({{"1"}})), ended(1, Answer{})}), Fate::prevented);
    EXPECT_EQ(fate({ended(0, rows({})), waiting(1, {0}), ended(1, one, true)}), Fate::blocked);
    EXPECT_EQ(fate({ended(0, rows({{"1"}})), waiting(1, {0}), ended(1, error("40001", true))}),
              Fate::aborted);
    EXPECT_EQ(texts(scenario, run_of({ended(0, rows({{"1"}})), ended(1, one)})),
              Texts{"expected outcome prevented, it was happens"});
}

}  // namespace
}  // namespace isotap::workload
