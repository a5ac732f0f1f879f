// The rules and the dashboard of configs/monitoring speak of metrics that there are.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/admin/metrics.hpp"

namespace isotap::proxy {
namespace {

std::string sample(const std::string& name) {
    const char* root = std::getenv("ISOTAP_SOURCE");
    std::ifstream file(std::string(root == nullptr ? "." : root) + "/configs/monitoring/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Those of the families: the buckets of a histogram are lines of one.
std::set<std::string> names_in(const std::string& text) {
    const std::regex word("\\b((isotap|process)_[a-z_]+?)(_bucket)?\\b");
    std::set<std::string> names;
    for (std::sregex_iterator found(text.begin(), text.end(), word), end; found != end; ++found) {
        names.insert(found->str(1));
    }
    return names;
}

std::set<std::string> metrics_there_are() {
    Log log(LogFormat::text, LogLevel::error);
    ProxyOptions options;
    options.relay.listeners.emplace_back();
    const Tap tap(options, log);
    std::set<std::string> names;
    for (const auto& family : Metrics({}, log, &tap).families()) {
        names.insert(family.name);
    }
    return names;
}

TEST(Monitoring, TheRulesNameMetricsThatThereAre) {
    const std::set<std::string> used = names_in(sample("alerts.yml"));
    EXPECT_GE(used.size(), 6U);
    const std::set<std::string> there = metrics_there_are();
    for (const std::string& name : used) {
        EXPECT_TRUE(there.contains(name)) << name;
    }
}

/// Not a parser of YAML: what a slip of the pen would break.
TEST(Monitoring, EveryRuleHasAnExpressionASeverityAndASummary) {
    const std::string text = sample("alerts.yml");
    const auto count = [&text](const std::string& what) {
        const std::regex line("\n *(- )?" + what + ":");
        return std::distance(std::sregex_iterator(text.begin(), text.end(), line), {});
    };
    EXPECT_GE(count("alert"), 5);
    EXPECT_EQ(count("expr"), count("alert"));
    EXPECT_EQ(count("severity"), count("alert"));
    EXPECT_EQ(count("summary"), count("alert"));
    EXPECT_EQ(text.find('\t'), std::string::npos);
}

TEST(Monitoring, TheDashboardIsJsonAndEveryPanelNamesMetricsThatThereAre) {
    const auto dashboard = boost::json::parse(sample("dashboard.json"));
    const std::set<std::string> there = metrics_there_are();
    EXPECT_EQ(dashboard.at("uid").as_string(), "isotap");
    std::set<std::int64_t> ids;
    for (const auto& panel : dashboard.at("panels").as_array()) {
        EXPECT_TRUE(ids.insert(panel.at("id").as_int64()).second) << "an id twice";
        EXPECT_FALSE(panel.at("targets").as_array().empty());
        for (const auto& target : panel.at("targets").as_array()) {
            const auto& expression = target.at("expr").as_string();
            const auto used = names_in({expression.data(), expression.size()});
            EXPECT_FALSE(used.empty()) << expression;
            for (const std::string& name : used) {
                EXPECT_TRUE(there.contains(name)) << name;
            }
        }
    }
    EXPECT_GE(ids.size(), 10U);
}

}  // namespace
}  // namespace isotap::proxy
