#include "analysis/workload/run_report.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "analysis/workload/isolation_tester_text.hpp"
#include "analysis/workload/scenario_reader.hpp"

namespace isotap::workload {
namespace {

const ServerPattern server{"mariadb", "10.11.1"};

class RunReport : public testing::Test {
  protected:
    RunReport() {
        workload::Run run;
        run.setting = {server, history::IsolationLevel::repeatable_read};
        Event first;
        first.answer.returns_rows = true;
        first.answer.rows = {{"1"}};
        Event wait;
        wait.happening = Happening::waits;
        wait.session = 1;
        wait.turn = 1;
        wait.blockers = {0};
        Event lost;
        lost.session = 1;
        lost.turn = 1;
        lost.waited = true;
        lost.answer.failed = true;
        lost.answer.conflict = true;
        lost.answer.state = "40001";
        lost.answer.number = 1213;
        lost.answer.message = "deadlock <found>";
        Event added;
        added.happening = Happening::added;
        added.session = 1;
        run.events = {first, wait, lost, added};
        results_.push_back(judge(scenario_, "a.scenario", 0, run));
    }

    Scenario scenario_ = read_scenario(
                             "name: A&B\nconn_0> select 1\n  expect rows: (1)\n"
                             "conn_1> update t\n  set a = 1\n",
                             "a")
                             .value();
    std::vector<RunResult> results_;
};

TEST_F(RunReport, ShowsAMatrixAndTheScheduleOfWhatDiffers) {
    EXPECT_EQ(text_matrix(results_, false),
              "scenario  REPEATABLE READ \n"
              "A&B       aborted !\n"
              "\n"
              "A&B at REPEATABLE READ: aborted\n"
              "! a.scenario:4:1: no error was expected, there was error 40001 1213: deadlock "
              "<found>\n"
              "! a.scenario:4:1: no wait was expected, it was blocked by conn_0\n"
              "conn_0> select 1\n"
              "    (1)\n"
              "conn_1> update t set a = 1\n"
              "    waits for conn_0\n"
              "conn_1> update t set a = 1\n"
              "    after waiting: error 40001 (1213): deadlock <found>\n"
              "conn_1> ROLLBACK  -- added: the transaction was lost or left open\n");
    EXPECT_TRUE(needs_attention(results_.front()));
}

TEST_F(RunReport, WritesJsonThatCanBeRead) {
    const auto value = boost::json::parse(json_runs(server, results_)).as_object();
    EXPECT_EQ(value.at("engine").as_string(), "mariadb");
    const auto& run = value.at("runs").as_array().at(0).as_object();
    EXPECT_EQ(run.at("level").as_string(), "REPEATABLE READ");
    EXPECT_EQ(run.at("outcome").as_string(), "aborted");
    EXPECT_EQ(run.at("differences").as_array().size(), 2U);
    EXPECT_FALSE(run.contains("anomalies")) << "nobody looked";
}

TEST_F(RunReport, EscapesWhatStandsInAPage) {
    for (const std::string& text : {html_runs(server, results_), junit_runs(server, results_)}) {
        EXPECT_NE(text.find("A&amp;B"), std::string::npos);
        EXPECT_EQ(text.find("<found>"), std::string::npos);
    }
    EXPECT_NE(junit_runs(server, results_).find("tests=\"1\" failures=\"1\""), std::string::npos);
}

TEST_F(RunReport, WritesWhatTheIsolationTesterWrites) {
    const Scenario spec = read_specification(
                              "session s1 step a { SELECT 1; } session s2 step b { LOCK t; }\n"
                              "permutation a b",
                              "x.spec")
                              .value();
    workload::Run run = results_.front().run;
    run.events.pop_back();
    run.events[0].answer.printed = "a\n-\n1\n(1 row)\n\n";
    run.events[2].answer.printed = "ERROR:  no\n";
    run.events[2].answer.notices = {"NOTICE:  hm"};
    EXPECT_EQ(isolation_tester_heading(spec) + isolation_tester_text(spec, spec.orders[0], run),
              "Parsed test spec with 2 sessions\n\nstarting permutation: a b\n"
              "step a: SELECT 1;\na\n-\n1\n(1 row)\n\n"
              "step b: LOCK t; <waiting ...>\n"
              "s2: NOTICE:  hm\nstep b: <... completed>\nERROR:  no\n");
}

}  // namespace
}  // namespace isotap::workload
