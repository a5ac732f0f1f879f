// One recording in several files: each can be read alone, and all of them as one.
#include "analysis/history/recording/recording_files.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "analysis/history/recording/recording_reader.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/analysis/history/recording/sample_events.hpp"
#include "tests/unit/analysis/history/recording/told_events.hpp"

namespace isotap::history::recording {
namespace {

using test::moment;
using test::tell_sample;
using test::ToldEvents;

class RecordingFilesTest : public testing::Test {
  protected:
    [[nodiscard]] std::string base() const { return (folder_.path() / "shop.isotap").string(); }

    [[nodiscard]] std::unique_ptr<RecordingFiles> files(PartPolicy policy,
                                                        std::uint64_t series = 8) const {
        auto made = RecordingFiles::create(base(), {}, policy, series, moment(0));
        EXPECT_TRUE(made) << (made ? "" : made.error());
        return made ? std::move(*made) : nullptr;
    }

    static std::vector<std::string> replayed(const std::string& path) {
        ToldEvents told;
        auto recording = Recording::open(path);
        EXPECT_TRUE(recording);
        EXPECT_FALSE(recording->replay(told));
        return told.lines;
    }

    [[nodiscard]] std::size_t count() const {
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            files += entry.path().filename().string().find('-') == std::string::npos ? 1U : 0U;
        }
        return files;
    }

  private:
    test::TemporaryFolder folder_;
};

constexpr TransactionId spanning{41};
constexpr SessionId lasting{9};

void begin_spanning(EventSink& sink) {
    sink.accept(NameDefined{NameId{1}, "account"});
    sink.accept(SessionBegan{lasting, moment(1), Dialect::mysql, "ann", "shop", "app"});
    sink.accept(TransactionBegan{lasting, spanning, moment(1), false});
    sink.accept(TransactionLevel{spanning, IsolationLevel::repeatable_read,
                                 LevelSource::server_default, false});
    sink.accept(Access{{spanning, 1}, NameId{1}, {0, 1}, AccessKind::read, Version::initial(), {}});
}

void end_spanning(EventSink& sink) {
    sink.accept(Access{{spanning, 2}, NameId{1}, {0, 2}, AccessKind::read, Version::initial(), {}});
    sink.accept(TransactionEnded{spanning, moment(9), moment(9), Outcome::committed, false});
}

TEST_F(RecordingFilesTest, PartsAreReadAsOneAndEachAlone) {
    ToldEvents told;
    begin_spanning(told);
    end_spanning(told);
    {
        const auto to = files({0, std::chrono::seconds{60}, 0});
        begin_spanning(*to);
        EXPECT_TRUE(to->flush(moment(59)));
        EXPECT_EQ(to->path(), base());
        EXPECT_TRUE(to->flush(moment(60)));
        EXPECT_EQ(to->path(), base() + ".2");
        end_spanning(*to);
        EXPECT_TRUE(to->close());
        EXPECT_EQ(to->recorded(), told.lines.size());
    }
    std::vector<std::string> both = replayed(base());
    // The second part says the name again.
    EXPECT_EQ(std::count(both.begin(), both.end(), "name 1 account"), 2);
    both.erase(std::find(both.begin() + 1, both.end(), "name 1 account"));
    EXPECT_EQ(both, told.lines);
    // Alone, it knows who is open and that it did not see all of it.
    const std::vector<std::string> second = replayed(base() + ".2");
    const std::vector<std::string> expected{
        told.lines[0], told.lines[1], told.lines[2], "gap 9 41 1700000001000000000 1 0",
        told.lines[3], told.lines[5], told.lines[6]};
    EXPECT_EQ(second, expected);
}

TEST_F(RecordingFilesTest, GoesOnBySizeAndKeepsSoMany) {
    const auto to = files({512 * 1024, {}, 2});
    for (int i = 0; i < 4'000; ++i) {
        tell_sample(*to);
        if (i % 100 == 0) {
            ASSERT_TRUE(to->flush(moment(i)));
        }
    }
    ASSERT_TRUE(to->close());
    EXPECT_GT(split_part_path(to->path()).number, 3U);
    EXPECT_EQ(count(), 2U);
    EXPECT_EQ(to->error(), "");
    const auto left = split_part_path(to->path());
    EXPECT_GT(replayed(part_path(left.base, left.number - 1)).size(), 1'000U);
}

TEST_F(RecordingFilesTest, ANewRunTakesTheNextNumberAndIsAnotherRecording) {
    ToldEvents told;
    tell_sample(told);
    for (const std::uint64_t series : {8U, 16U}) {
        const auto to = files({}, series);
        tell_sample(*to);
        ASSERT_TRUE(to->close());
    }
    EXPECT_EQ(count(), 2U);
    EXPECT_EQ(replayed(base()).size(), told.lines.size());
    EXPECT_EQ(replayed(base() + ".2").size(), told.lines.size());
}

TEST_F(RecordingFilesTest, StaysInTheOldPartWhenTheNewOneCannotBeMade) {
    const auto to = files({0, std::chrono::seconds{60}, 0});
    tell_sample(*to);
    std::filesystem::create_directory(base() + ".2");
    EXPECT_TRUE(to->flush(moment(61)));
    EXPECT_NE(to->error().find("shop.isotap.2"), std::string::npos) << to->error();
    tell_sample(*to);
    EXPECT_TRUE(to->close());
    ToldEvents told;
    tell_sample(told);
    tell_sample(told);
    EXPECT_EQ(to->recorded(), told.lines.size());
    EXPECT_EQ(to->lost(), 0U);
}

}  // namespace
}  // namespace isotap::history::recording
