#include "proxy/admin/metrics.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using testing::HasSubstr;

class MetricsTest : public testing::Test {
  protected:
    RelayCounters one_;
    RelayCounters two_;
    Log log_{LogFormat::text, LogLevel::error};
    Metrics metrics_{{&one_, &two_}, log_};
};

TEST_F(MetricsTest, SumOverTheThreads) {
    one_.sessions_open.add(3);
    two_.sessions_open.add(4);
    one_.bytes_from_client.add(1'000'000'000'001);
    two_.bytes_from_server.add(7);
    const std::string text = metrics_.text();
    EXPECT_THAT(text, HasSubstr("\n# TYPE isotap_sessions_open gauge\nisotap_sessions_open 7\n"));
    EXPECT_THAT(text, HasSubstr("\nisotap_bytes_total{from=\"client\"} 1000000000001\n"));
    EXPECT_THAT(text, HasSubstr("\nisotap_bytes_total{from=\"server\"} 7\n"));
}

TEST_F(MetricsTest, NameEveryNote) {
    two_.notes.at(static_cast<std::size_t>(protocol::Note::desynchronised)).add(2);
    const std::string text = metrics_.text();
    EXPECT_THAT(text, HasSubstr("\nisotap_notes_total{note=\"desynchronised\"} 2\n"));
    for (std::size_t i = 0; i < protocol::note_count; ++i) {
        EXPECT_THAT(
            text,
            HasSubstr("{note=\"" + std::string(to_string(static_cast<protocol::Note>(i))) + "\"}"));
    }
}

TEST_F(MetricsTest, NameEveryOutcome) {
    one_.transactions_indeterminate.add();
    EXPECT_THAT(metrics_.text(),
                HasSubstr("\nisotap_transactions_total{outcome=\"indeterminate\"} 1\n"));
}

TEST_F(MetricsTest, SpreadWhatHandlingTookOverItsBounds) {
    using namespace std::chrono_literals;
    one_.handling.add(5us);
    one_.handling.add(6us);
    two_.handling.add(7us);
    two_.handling.add(1s);
    const std::string text = metrics_.text();
    EXPECT_THAT(text, HasSubstr("\n# TYPE isotap_handling_seconds histogram\n"));
    EXPECT_THAT(text, testing::ContainsRegex("isotap_handling_seconds_count 4\n"));
    EXPECT_THAT(text, testing::ContainsRegex("isotap_handling_seconds_sum 1.000018"));
    const auto families = metrics_.families();
    const auto found = std::find_if(families.begin(), families.end(), [](const auto& family) {
        return family.name == "isotap_handling_seconds";
    });
    ASSERT_NE(found, families.end());
    std::vector<std::uint64_t> within;
    for (const auto& bucket : found->metric.at(0).histogram.bucket) {
        within.push_back(bucket.cumulative_count);
    }
    EXPECT_THAT(within, testing::ElementsAre(1, 3, 3, 3, 3, 3, 3, 3, 3));
}

TEST_F(MetricsTest, SayWhatTheProcessUses) {
    for (const auto& family : metrics_.families()) {
        EXPECT_FALSE(family.help.empty()) << family.name;
        if (family.name == "process_resident_memory_bytes") {
            EXPECT_GT(family.metric.at(0).gauge.value, 1e5);
        }
        if (family.name == "process_open_fds") {
            EXPECT_GE(family.metric.at(0).gauge.value, 3);
        }
    }
    EXPECT_THAT(metrics_.text(), HasSubstr("process_cpu_seconds_total"));
}

}  // namespace
}  // namespace isotap::proxy
