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
    results_.front().differences.front().text += " A\001B";
    for (const std::string& text : {html_runs(server, results_), junit_runs(server, results_)}) {
        EXPECT_NE(text.find("A&amp;B"), std::string::npos);
        EXPECT_NE(text.find("A?B"), std::string::npos) << "XML has no control characters";
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
    Event told;
    told.happening = Happening::told;
    told.session = 1;
    told.answer.notices = {"NOTICE:  early"};
    run.events = {run.events[0], run.events[1], told};
    EXPECT_TRUE(isolation_tester_text(spec, spec.orders[0], run)
                    .ends_with("step b: LOCK t; <waiting ...>\ns2: NOTICE:  early\n"));
}

TEST_F(RunReport, ShowsWhatWasFoundAndWhatWasNotSeen) {
    results_.front().run.sighting.anomalies = {{"lost-update",
                                                "lost update",
                                                "hazard",
                                                {"T1 < T2, because of <row> 1."},
                                                {"Lock it.", "Or do not."}}};
    results_.front().run.sighting.unseen = {{"set operation", 2, "select 1 union select 2"}};
    const std::string text = text_matrix(results_, true);
    EXPECT_NE(text.find("aborted, lost-update (hazard) ~ !\n~ not all that"), std::string::npos)
        << text;
    EXPECT_NE(text_matrix(results_, false).find("was seen: --schedules says which\n"),
              std::string::npos);
    EXPECT_NE(text.find("\n* lost-update (lost update), a hazard\n    T1 < T2, because of <row> 1."
                        "\n    to prevent it: Lock it.\n    to prevent it: Or do not."
                        "\n? not seen: 2 statements: set operation: select 1 union select 2\n"),
              std::string::npos)
        << text;
    const auto value = boost::json::parse(json_runs(server, results_)).as_object();
    const auto& run = value.at("runs").as_array().at(0).as_object();
    EXPECT_EQ(run.at("anomalies").as_array().at(0).as_object().at("severity"), "hazard");
    EXPECT_EQ(run.at("unseen").as_array().at(0).as_object().at("count"), 2);
    for (const std::string& page : {html_runs(server, results_), junit_runs(server, results_)}) {
        EXPECT_NE(page.find("lost update"), std::string::npos);
        EXPECT_NE(page.find("&lt;row&gt;"), std::string::npos);
    }
}

TEST_F(RunReport, SaysThatAPhenomenonWasNotFound) {
    results_.front().differences.clear();
    results_.front().fate = Fate::happens;
    EXPECT_NE(text_matrix(results_, false).find("happens\n"), std::string::npos);
    results_.front().run.sighting.anomalies.emplace();
    EXPECT_NE(text_matrix(results_, false).find("happens, not found"), std::string::npos);
}

}  // namespace
}  // namespace isotap::workload
