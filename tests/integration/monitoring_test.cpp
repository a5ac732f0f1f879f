// Prometheus itself takes the rules of configs/monitoring, the queries of the dashboard, and what
// /metrics says.
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/debian_folder.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

/// Grafana's variables, as it would fill them in.
std::string filled_in(std::string query) {
    for (const auto& [variable, value] :
         {std::pair<std::string, std::string>{"$__rate_interval", "1m"}, {"$instance", ".*"}}) {
        for (std::size_t at = 0; (at = query.find(variable)) != std::string::npos;) {
            query.replace(at, variable.size(), value);
        }
    }
    return query;
}

class Monitoring : public testing::Test {
  protected:
    void SetUp() override {
        root_ = debian_folder("mysql", {"promtool:usr/bin/promtool"});
        if (root_.empty()) GTEST_SKIP() << "promtool cannot be had here";
    }
    [[nodiscard]] Finished promtool(const std::vector<std::string>& words,
                                    const std::string& input = "") const {
        Command command{.arguments = program_of(root_, "usr/bin/promtool"), .input = input};
        command.arguments.insert(command.arguments.end(), words.begin(), words.end());
        return run(std::move(command));
    }
    static std::filesystem::path sample(const char* name) {
        return source_folder() / "configs" / "monitoring" / name;
    }

    std::filesystem::path root_;
    TemporaryFolder folder_;
};

TEST_F(Monitoring, PrometheusTakesTheRules) {
    const Finished checked = promtool({"check", "rules", sample("alerts.yml")});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
    EXPECT_THAT(checked.output, HasSubstr("SUCCESS: 7 rules found"));
}

TEST_F(Monitoring, PrometheusTakesTheQueriesOfTheDashboard) {
    const json::value dashboard = json::parse(read_file(sample("dashboard.json")));
    json::array rules;
    for (const json::value& panel : dashboard.at("panels").as_array()) {
        for (const json::value& target : panel.at("targets").as_array()) {
            rules.push_back(
                json::object{{"record", "q" + std::to_string(rules.size())},
                             {"expr", filled_in(json::value_to<std::string>(target.at("expr")))}});
        }
    }
    const std::size_t count = rules.size();
    const json::object group{{"name", "dashboard"}, {"rules", std::move(rules)}};
    const auto file = folder_.path() / "queries.yml";  // JSON is YAML
    write_file(file, json::serialize(json::object{{"groups", json::array{group}}}));
    const Finished checked = promtool({"check", "rules", file});
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
    EXPECT_THAT(checked.output, HasSubstr("SUCCESS: " + std::to_string(count) + " rules found"));
}

TEST_F(Monitoring, PrometheusReadsTheMetrics) {
    IsotapProcess isotap("postgres://nobody@127.0.0.1:1/nowhere", {"--admin", "127.0.0.1:0"});
    const Finished checked = promtool({"check", "metrics"}, isotap.get("/metrics"));
    EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

}  // namespace
}  // namespace isotap::test
