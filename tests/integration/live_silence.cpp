#include "tests/integration/live_silence.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/live_answers.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;

/// Each client of sysbench ends with a transaction that was committed.
constexpr std::chrono::seconds patience{600};
constexpr std::chrono::milliseconds watch_interval{250};
/// More than all of its bounds together: ring, graph, kept history and kept anomalies.
constexpr std::size_t resident_max = std::size_t{512} << 20U;

const char* setting(const char* name) {
    return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
}

std::vector<std::string> options() {
    std::vector<std::string> made{
        "--mode", "instrument",    "--admin", "127.0.0.1:0", "--limits.plan-wait",
        "30s",    "--on-overload", "block"};
    if (const char* folder = setting("ISOTAP_SILENCE_RECORD")) {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        const std::string name = std::string(test->test_suite_name()) + "." + test->name();
        made.insert(made.end(),
                    {"--record", std::string(folder) + "/" + test_name(name) + ".isotap"});
    }
    return made;
}

std::size_t mebibytes(std::size_t bytes) {
    return bytes >> 20U;
}

}  // namespace

std::chrono::seconds silence_duration() {
    const char* asked = setting("ISOTAP_SILENCE_SECONDS");
    return std::chrono::seconds(asked == nullptr ? 4 : std::atoi(asked));
}

std::string test_name(std::string words) {
    std::replace_if(
        words.begin(), words.end(), [](char c) { return c == ' ' || c == '/'; }, '_');
    return words;
}

WatchedIsotap::WatchedIsotap(const std::string& upstream) : isotap_(upstream, options()) {
    watcher_ = std::thread([this] { watch(); });
}

WatchedIsotap::~WatchedIsotap() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    wake_.notify_all();
    watcher_.join();
}

void WatchedIsotap::watch() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, watch_interval, [this] { return ended_; })) {
        resident_.push_back(memory_of(isotap_.process().id()).resident);
    }
}

json::value WatchedIsotap::told() {
    await_analysis(isotap_);
    json::value found = ask(isotap_, "/api/anomalies");
    std::map<std::string, int> names;
    for (const json::value& anomaly : found.at("anomalies").as_array()) {
        ++names[std::string(anomaly.at("name").as_string())];
    }
    const std::lock_guard lock(mutex_);
    const std::size_t most = *std::max_element(resident_.begin(), resident_.end());
    std::cout << testing::UnitTest::GetInstance()->current_test_info()->name() << ": "
              << found.at("verdict").as_string() << ", " << found.at("transactions") << ", "
              << found.at("anomalies").as_array().size() << " anomalies, coverage "
              << found.at("coverage") << ", resident MiB at a tenth, the half and the end "
              << mebibytes(resident_.at(resident_.size() / 10)) << ", "
              << mebibytes(resident_.at(resident_.size() / 2)) << ", "
              << mebibytes(resident_.back()) << ", at most " << mebibytes(most) << '\n';
    for (const auto& [name, count] : names) {
        std::cout << "  " << count << ' ' << name << '\n';
    }
    EXPECT_LT(most, resident_max);
    EXPECT_GT(number_in(found, "transactions", "committed"), 20U);
    EXPECT_EQ(number_in(found, "transactions", "incomplete"), 0U);
    // A server that starves gives no plan in time, and a prepared DISTINCT is not captured on the
    // MySQL family: one of sysbench's statements in eighteen.
    EXPECT_GT(number_in(found, "coverage", "full"),
              number_in(found, "coverage", "statements") * 9 / 10);
    return found;
}

std::uint64_t number_in(const json::value& told, const char* group, const char* name) {
    return told.at(group).at(name).to_number<std::uint64_t>();
}

std::vector<std::string> names_of_hazards(const json::value& told) {
    std::vector<std::string> names;
    for (const json::value& anomaly : told.at("anomalies").as_array()) {
        EXPECT_EQ(anomaly.at("severity").as_string(), "hazard") << anomaly;
        names.emplace_back(anomaly.at("name").as_string());
    }
    return names;
}

void expect_silence(const json::value& told) {
    const auto& anomalies = told.at("anomalies").as_array();
    EXPECT_TRUE(anomalies.empty()) << anomalies.front();
    const bool all =
        number_in(told, "coverage", "opaque") + number_in(told, "coverage", "partial") == 0;
    EXPECT_EQ(told.at("verdict"), all ? "clean" : "unknown") << told.at("doubts");
}

std::vector<std::string> Sysbench::command(const std::string& word) const {
    const auto folder = source_folder() / "tests" / "integration";
    std::vector<std::string> words{"sysbench", folder / "sysbench_at_level.lua",
                                   "--table-size=" + std::to_string(rows), "--range-size=10"};
    words.insert(words.end(), connection_.begin(), connection_.end());
    words.push_back(word);
    return words;
}

void Sysbench::prepare() const {
    run_or_throw({.arguments = command("prepare")});
}

void Sysbench::run(const std::string& level) const {
    auto words = command("run");
    words.insert(words.end() - 1, {"--threads=" + std::to_string(silence_clients),
                                   "--time=" + std::to_string(silence_duration().count())});
    run_or_throw({.arguments = words, .environment = {{"ISOTAP_LEVEL", level}}},
                 silence_duration() + patience);
}

}  // namespace isotap::test
