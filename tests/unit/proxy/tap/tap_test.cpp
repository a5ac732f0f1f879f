#include "proxy/tap/tap.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/proxy/startup_error.hpp"

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/proxy/tap/skew.hpp"

namespace isotap::proxy {
namespace {

using namespace std::chrono_literals;

ProxyOptions options_for_postgres() {
    ProxyOptions options;
    Listener& listener = options.relay.listeners.emplace_back();
    listener.mode = Mode::observe;
    listener.upstream.address = {"127.0.0.1", 5432};
    return options;
}

class TapTest : public ::testing::Test {
  protected:
    void prepare(const ProxyOptions& options, std::size_t threads = 2) {
        tap_ = std::make_unique<Tap>(options, log_);
        for (std::size_t i = 0; i < threads; ++i) {
            sinks_.push_back(tap_->sink_of_thread(counters_.at(i)));
        }
    }
    void start(const ProxyOptions& options) {
        prepare(options);
        tap_->start();
    }
    void skew(std::uint64_t first) {
        testing::write_skew(first, history::IsolationLevel::repeatable_read,
                            [this](std::size_t lane, const history::Event& event) {
                                sinks_.at(lane)->accept(event);
                            });
    }
    /// Waits for an anomaly, without asking for more than one.
    bool await_anomaly(std::chrono::steady_clock::duration patience = 10s) {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (tap_->bulletin().anomalies().empty()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            std::this_thread::yield();
        }
        return true;
    }

    Log log_{LogFormat::text, LogLevel::error};
    std::array<RelayCounters, 2> counters_;
    std::unique_ptr<Tap> tap_;
    std::vector<std::unique_ptr<history::EventSink>> sinks_;
};

TEST_F(TapTest, TellsOfACycleWhileItRuns) {
    start(options_for_postgres());
    skew(1);
    ASSERT_TRUE(await_anomaly());
    tap_->stop();
    EXPECT_EQ(tap_->bulletin().anomalies().size(), 1U);
}

TEST_F(TapTest, RaisesTheAlert) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "alert.json";
    ProxyOptions options = options_for_postgres();
    options.tap.alerts.command = "cat > '" + file.string() + "'";
    start(options);
    skew(1);
    ASSERT_TRUE(await_anomaly());
    tap_->stop();
    EXPECT_THAT(test::read_file(file), ::testing::HasSubstr("\"type\":\"G2-item\""));
    EXPECT_EQ(tap_->alerts().sent, 1U);
}

/// Told now, over rows whose writer nobody knows.
history::Event over_unknown_rows(history::Event event) {
    std::visit(
        [](auto& known) {
            if constexpr (requires { known.at; }) {
                known.at = system_now();
            }
        },
        event);
    if (auto* access = std::get_if<history::Access>(&event)) {
        access->before = history::Version::foreign(700);
    }
    return event;
}

TEST_F(TapTest, TellsOfACycleThatOnlyTimeCloses) {
    start(options_for_postgres());
    testing::write_skew(1, history::IsolationLevel::repeatable_read,
                        [this](std::size_t lane, const history::Event& event) {
                            sinks_.at(lane)->accept(over_unknown_rows(event));
                        });
    ASSERT_TRUE(await_anomaly()) << "nothing follows, and nothing has to";
    tap_->stop();
    EXPECT_EQ(tap_->bulletin().anomalies().size(), 1U);
}

TEST_F(TapTest, LooksAtAllThatIsInTheRingsBeforeItEnds) {
    start(options_for_postgres());
    constexpr std::uint64_t pairs = 300;
    for (std::uint64_t i = 0; i < pairs; ++i) {
        skew(1 + 2 * i);
    }
    tap_->stop();
    EXPECT_EQ(tap_->bulletin().anomalies().size(), pairs);
    EXPECT_EQ(tap_->bulletin().status().statistics.transactions.committed, 2 * pairs);
}

TEST_F(TapTest, AFullRingIsNeverCleanAndNeverAFalseAlarm) {
    ProxyOptions options = options_for_postgres();
    options.relay.limits.ring_events = 64;
    options.relay.limits.ring_bytes = 64 * kibibyte;
    prepare(options, 1);
    for (std::uint64_t id = 1; id < 50'000; ++id) {
        if (id == 1'000) tap_->start();  // nobody has taken anything until now
        testing::plain_update(id, [this](std::size_t, const history::Event& event) {
            auto changed = event;
            if (auto* access = std::get_if<history::Access>(&changed)) {
                access->row.low = static_cast<std::uint64_t>(access->statement.transaction);
            }
            sinks_.front()->accept(changed);
        });
    }
    tap_->stop();
    EXPECT_GT(tap_->figures().at(0).lost, 0U);
    EXPECT_EQ(tap_->bulletin().status().verdict, analysis::Verdict::unknown);
    EXPECT_TRUE(tap_->bulletin().anomalies().empty());
}

TEST_F(TapTest, CountsForMetricsWhateverBecomesOfTheEvents) {
    start(options_for_postgres());
    skew(1);
    tap_->stop();
    EXPECT_EQ(counters_[0].transactions_committed.value(), 1U);
    EXPECT_EQ(counters_[0].statements.value(), 3U);
}

TEST_F(TapTest, DoesNotMixTheRowsOfTwoServers) {
    ProxyOptions options = options_for_postgres();
    Listener other = options.relay.listeners.front();
    other.upstream.address.port = 5433;
    options.relay.listeners.push_back(other);
    start(options);
    skew(1);
    tap_->stop();
    EXPECT_TRUE(tap_->bulletin().anomalies().empty());
    EXPECT_EQ(counters_[0].transactions_committed.value(), 1U) << "still counted";
}

TEST_F(TapTest, TakesTheContractOfTheDialectOrTheOneThatIsNamed) {
    ProxyOptions options = options_for_postgres();
    EXPECT_EQ(Tap(options, log_).engine(), "postgresql");
    options.relay.listeners.front().upstream.dialect = history::Dialect::mysql;
    EXPECT_EQ(Tap(options, log_).engine(), "mysql");
    options.relay.listeners.front().upstream.engine = "mariadb";
    EXPECT_EQ(Tap(options, log_).engine(), "mariadb");
    options.tap.engine = "tidb";
    EXPECT_EQ(Tap(options, log_).engine(), "tidb");
}

}  // namespace
}  // namespace isotap::proxy
