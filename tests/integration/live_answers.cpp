#include "tests/integration/live_answers.hpp"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace isotap::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds patience{120};
constexpr double settling_seconds = 2;

}  // namespace

boost::json::value ask(IsotapProcess& isotap, std::string_view path) {
    return boost::json::parse(isotap.get(path));
}

void await_analysis(IsotapProcess& isotap) {
    const auto deadline = Clock::now() + patience;
    std::optional<double> silent_since;
    double now = 0;
    while (!silent_since || now < *silent_since + settling_seconds) {
        const boost::json::value status = ask(isotap, "/api/status");
        now = status.at("uptime_seconds").to_number<double>();
        if (!silent_since && status.at("sessions").to_number<int>() == 0) {
            silent_since = now;
        }
        ASSERT_LT(Clock::now(), deadline) << status;
    }
}

}  // namespace isotap::test
