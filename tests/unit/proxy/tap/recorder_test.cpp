#include "proxy/tap/recorder.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/history/recording/recording_reader.hpp"
#include "proxy/tap/known_transactions.hpp"
#include "proxy/tap/tap.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/proxy/tap/skew.hpp"

namespace isotap::proxy {
namespace {

using history::recording::Recording;
using ::testing::HasSubstr;
using ::testing::Not;

class Lines final : public history::EventSink {
  public:
    void accept(const history::Event& event) noexcept override {
        lines.push_back(testing::line_of(event));
    }
    std::vector<std::string> lines;
};

class RecorderTest : public ::testing::Test {
  protected:
    [[nodiscard]] ProxyOptions options() const {
        ProxyOptions made;
        made.relay.listeners.emplace_back().mode = Mode::observe;
        made.tap.record = file_;
        return made;
    }
    /// What one relay thread tells, recorded.
    RecordingFigures record(const ProxyOptions& options, std::uint64_t pairs = 1) {
        Tap tap(options, log_);
        RelayCounters counters;
        const auto one = tap.sink_of_thread(counters);
        const auto two = tap.sink_of_thread(counters);
        tap.start();
        for (std::uint64_t i = 0; i < pairs; ++i) {
            testing::write_skew(1 + 2 * i, history::IsolationLevel::repeatable_read,
                                [&](std::size_t lane, const history::Event& event) {
                                    (lane == 0 ? one : two)->accept(event);
                                });
        }
        tap.stop();
        return *tap.recording();
    }
    [[nodiscard]] std::vector<std::string> recorded() const {
        auto recording = Recording::open(file_);
        Lines lines;
        if (!recording || recording->replay(lines)) {
            return {"unreadable"};
        }
        return lines.lines;
    }

    test::TemporaryFolder folder_;
    std::string file_ = folder_.path() / "a.isotap";
    Log log_{LogFormat::text, static_cast<LogLevel>(99)};
};

TEST_F(RecorderTest, TheRecordingGivesTheSameAnomalyAgain) {
    const RecordingFigures figures = record(options());
    EXPECT_EQ(figures.error, "");
    EXPECT_EQ(figures.lost, 0U);
    auto recording = Recording::open(file_);
    ASSERT_TRUE(recording);
    EXPECT_EQ(recording->head().contract, "postgresql");
    analysis::Engine engine;
    EXPECT_FALSE(recording->replay(engine));
    engine.finish();
    ASSERT_EQ(engine.anomalies().size(), 1U);
    EXPECT_EQ(name_of(engine.anomalies().front().kind), "G2-item");
}

TEST_F(RecorderTest, HoldsNoLiteralsUnlessAsked) {
    record(options());
    EXPECT_THAT(recorded(), Not(::testing::Contains(HasSubstr("alice"))));
    std::filesystem::remove(file_);
    ProxyOptions with_values = options();
    with_values.tap.record_values = true;
    record(with_values);
    EXPECT_THAT(recorded(), ::testing::Contains(HasSubstr("'alice'")));
}

TEST_F(RecorderTest, AFolderThatIsNotThereStopsTheRecordingAndNothingElse) {
    ProxyOptions elsewhere = options();
    elsewhere.tap.record = folder_.path() / "nowhere" / "a.isotap";
    const RecordingFigures figures = record(elsewhere);
    EXPECT_NE(figures.error, "");
    EXPECT_EQ(figures.recorded, 0U);
}

TEST_F(RecorderTest, GoesOnInANewFile) {
    ProxyOptions rotating = options();
    rotating.tap.rotate_bytes = 16 * kibibyte;
    rotating.tap.flush = std::chrono::milliseconds{1};
    rotating.tap.on_overload = OnOverload::block;  // however slow the disk is
    const RecordingFigures figures = record(rotating, 2'000);
    EXPECT_EQ(figures.lost, 0U);
    EXPECT_NE(figures.path, file_);
    const auto all = recorded();
    EXPECT_EQ(std::count_if(all.begin(), all.end(),
                            [](const std::string& line) { return line.starts_with("end "); }),
              4'000);
}

TEST_F(RecorderTest, LeavesOutWhatIsLeftOfATornTransaction) {
    KnownTransactions known;
    EXPECT_TRUE(known.admits(testing::began(1)));
    known.forget();
    EXPECT_FALSE(known.admits(testing::statement(1, 2, "x")));
    EXPECT_FALSE(known.admits(testing::ended(1)));
    EXPECT_TRUE(known.admits(testing::began(2)));
    EXPECT_TRUE(known.admits(testing::ended(2)));
    EXPECT_TRUE(known.admits(history::SessionEnded{}));
}

}  // namespace
}  // namespace isotap::proxy
