// A recording survives the death of its writer at any moment.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "analysis/history/recording/recording_reader.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using history::recording::Recording;

/// ISOTAP_KILLS asks for more of them.
int kills() {
    const char* asked = std::getenv("ISOTAP_KILLS");
    return asked == nullptr ? 20 : std::atoi(asked);
}

/// Runs transactions until the proxy is gone; how many were acknowledged.
std::uint64_t load(std::uint16_t port) {
    std::uint64_t committed = 0;
    try {
        PostgresWire client(Endpoint{.port = port});
        client.start();
        while (true) {
            const auto answer = client.query("select 1");
            if (answer.empty() || answer.back().type != 'Z') {
                return committed;
            }
            ++committed;
        }
    } catch (const std::exception&) {
        return committed;
    }
}

TEST(LiveRecording, OpensAfterKill9AtAnyMoment) {
    PostgresServer server;
    std::mt19937 random(20'261'118);
    std::uint64_t with_something = 0;
    for (int i = 0; i < kills(); ++i) {
        const TemporaryFolder folder;
        const std::string file = folder.path() / "killed.isotap";
        IsotapProcess isotap(server.url(), {"--mode", "observe", "--admin", "127.0.0.1:0",
                                            "--record", file, "--flush-ms", "10"});
        std::uint64_t acknowledged = 0;
        std::thread client([&] { acknowledged = load(isotap.port()); });
        // What the metric says is flushed must be there afterwards.
        const double wanted = static_cast<double>(random() % 2'000);
        double flushed = 0;
        while (flushed < wanted) {
            flushed = isotap.metrics().at("isotap_recorded_events_total");
        }
        isotap.process().signal(SIGKILL);
        isotap.process().wait();
        client.join();
        auto recording = Recording::open(file);
        ASSERT_TRUE(recording) << "kill " << i << ": " << recording.error().message();
        analysis::Engine engine;
        ASSERT_FALSE(recording->replay(engine)) << "kill " << i;
        engine.finish();
        const std::uint64_t committed = engine.statistics().transactions.committed;
        EXPECT_LE(committed, acknowledged + 1);
        EXPECT_TRUE(engine.anomalies().empty());
        const Finished checked = run({.arguments = {isotap_program(), "check", "--json", file}});
        EXPECT_EQ(checked.exit_code, 0) << "kill " << i << ": " << checked.output;
        EXPECT_THAT(checked.output,
                    testing::HasSubstr("\"committed\":" + std::to_string(committed)));
        // A transaction of these is six events: its beginning, level, statement (two), and end.
        EXPECT_GE(static_cast<double>(committed + 2) * 6, flushed) << "a flush is missing";
        with_something += committed > 0 ? 1 : 0;
    }
    EXPECT_GT(with_something, 0U);
}

}  // namespace
}  // namespace isotap::test
