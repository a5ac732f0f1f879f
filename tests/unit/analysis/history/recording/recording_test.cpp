// What is recorded comes back, whatever happened to the writer.
#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/history/recording/recording_writer.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/analysis/history/recording/sample_events.hpp"
#include "tests/unit/analysis/history/recording/told_events.hpp"

namespace isotap::history::recording {
namespace {

using test::moment;
using test::tell_sample;
using test::ToldEvents;

class RecordingTest : public testing::Test {
  protected:
    [[nodiscard]] std::string file(const std::string& name = "shop.isotap") const {
        return (folder_.path() / name).string();
    }

    static std::unique_ptr<RecordingWriter> writer(const std::string& path,
                                                   RecordingOptions options = {}) {
        auto made = RecordingWriter::create(path, options, moment(0));
        EXPECT_TRUE(made) << (made ? "" : made.error());
        return made ? std::move(*made) : nullptr;
    }

    static std::vector<std::string> replayed(const std::string& path) {
        ToldEvents told;
        auto recording = Recording::open(path);
        if (!recording) {
            return {recording.error().message()};
        }
        if (const auto error = recording->replay(told)) {
            told.lines.push_back(error->message());
        }
        return told.lines;
    }

  private:
    test::TemporaryFolder folder_;
};

/// Names stand first in a replay; everything else keeps its place.
std::vector<std::string> names_first(std::vector<std::string> lines) {
    std::stable_partition(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.starts_with("name "); });
    return lines;
}

TEST_F(RecordingTest, EveryEventComesBackWithEveryFieldInItsPlace) {
    ToldEvents told;
    tell_sample(told);
    {
        const auto to = writer(file());
        tell_sample(*to);
        EXPECT_TRUE(to->close()) << to->error();
        EXPECT_EQ(to->recorded(), told.lines.size());
        EXPECT_EQ(to->lost(), 0U);
    }
    EXPECT_EQ(replayed(file()), names_first(told.lines));
}

TEST_F(RecordingTest, ReplayedAndLiveVerdictsAreTheSame) {
    analysis::Engine live;
    tell_sample(live);
    live.finish();
    {
        const auto to = writer(file());
        tell_sample(*to);
        to->flush();
    }
    analysis::Engine replayed_engine;
    auto recording = Recording::open(file());
    ASSERT_TRUE(recording);
    ASSERT_FALSE(recording->replay(replayed_engine));
    replayed_engine.finish();
    ASSERT_EQ(live.anomalies().size(), 1U);
    ASSERT_EQ(replayed_engine.anomalies().size(), 1U);
    EXPECT_EQ(live.anomalies()[0].edges, replayed_engine.anomalies()[0].edges);
    EXPECT_EQ(live.verdict(), replayed_engine.verdict());
    EXPECT_EQ(live.statistics().gaps, replayed_engine.statistics().gaps);
}

TEST_F(RecordingTest, OnlyItsOwnerMayReadIt) {
    const auto to = writer(file());
    tell_sample(*to);
    to->flush();
    for (const char* suffix : {"", "-wal", "-shm"}) {
        struct stat status {};
        ASSERT_EQ(stat((file() + suffix).c_str(), &status), 0) << suffix;
        EXPECT_EQ(status.st_mode & 0777U, 0600U) << suffix;
    }
}

TEST_F(RecordingTest, AFileThatIsThereIsNotTouched) {
    test::write_file(file(), "precious");
    const auto made = RecordingWriter::create(file(), {}, moment(0));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().find("File exists"), std::string::npos) << made.error();
    EXPECT_EQ(test::read_file(file()), "precious");
}

class Stars final : public TextRedactor {
  public:
    std::string_view redact(std::string_view statement) noexcept override {
        text_ = statement;
        for (char& c : text_) {
            c = c >= '0' && c <= '9' ? '?' : c;
        }
        return text_;
    }

  private:
    std::string text_;
};

TEST_F(RecordingTest, NoValueStandsInARedactedFile) {
    Stars stars;
    {
        const auto to = writer(file(), {&stars, "isotap", "postgresql"});
        tell_sample(*to);
        ASSERT_TRUE(to->close());
    }
    const std::string bytes = test::read_file(file());
    EXPECT_EQ(bytes.find("id = 17"), std::string::npos);
    EXPECT_NE(bytes.find("id = ??"), std::string::npos);
    EXPECT_EQ(bytes.find("a-long-key"), std::string::npos);
    EXPECT_EQ(bytes.find("(17,0)"), std::string::npos);
    auto recording = Recording::open(file());
    ASSERT_TRUE(recording);
    EXPECT_TRUE(recording->head().redacted);
    EXPECT_EQ(recording->head().contract, "postgresql");
}

TEST_F(RecordingTest, WhatWasFlushedSurvivesAKill) {
    std::size_t flushed_lines = 0;
    {
        ToldEvents told;
        tell_sample(told);
        flushed_lines = told.lines.size();
    }
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto to = writer(file());
        tell_sample(*to);
        to->flush();
        tell_sample(*to);  // this is not
        raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(replayed(file()).size(), flushed_lines);
}

TEST_F(RecordingTest, AReaderSeesWhatIsFlushedWhileTheWriterGoesOn) {
    const auto to = writer(file());
    tell_sample(*to);
    EXPECT_TRUE(replayed(file()).empty());
    to->flush();
    const std::size_t lines = replayed(file()).size();
    EXPECT_GT(lines, 20U);
    tell_sample(*to);
    EXPECT_EQ(replayed(file()).size(), lines);
}

TEST_F(RecordingTest, AFullDiskEndsTheRecordingAndKeepsWhatWasFlushed) {
    // As files may not grow any more, the child's disk is full.
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        constexpr rlim_t bytes = 512 * 1024;
        const rlimit limit{bytes, bytes};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto to = writer(file());
        tell_sample(*to);
        bool good = to->flush();
        std::uint64_t before = to->recorded();
        for (int i = 0; i < 100'000 && to->error().empty(); ++i) {
            before = to->recorded();
            for (int n = 0; n < 50; ++n) {
                tell_sample(*to);
            }
            to->flush();
        }
        good = good && to->error().find(file()) != std::string::npos;
        good = good && to->recorded() == before && to->lost() > 0;
        const std::uint64_t lost = to->lost();
        tell_sample(*to);
        good = good && to->lost() > lost && !to->flush();
        _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    const auto lines = replayed(file());
    ASSERT_GT(lines.size(), 20U);
    EXPECT_TRUE(lines.back().starts_with("session ended")) << lines.back();
}

TEST_F(RecordingTest, WhatIsNoRecordingIsNamed) {
    test::write_file(file(), "SELECT 1");
    EXPECT_FALSE(is_recording(file()));
    EXPECT_FALSE(is_recording(file("nothing")));
    const auto text = Recording::open(file());
    ASSERT_FALSE(text);
    EXPECT_NE(text.error().message().find("not a database"), std::string::npos)
        << text.error().message();
    sqlite::Database other;
    ASSERT_TRUE(other.open(file("other"), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    ASSERT_TRUE(other.run("CREATE TABLE t(a)"));
    const auto database = Recording::open(file("other"));
    ASSERT_FALSE(database);
    EXPECT_EQ(database.error().kind, ReadErrorKind::unknown_format);
}

TEST_F(RecordingTest, ANewerFormatIsRefused) {
    { writer(file()); }
    sqlite::Database later;
    ASSERT_TRUE(later.open(file(), SQLITE_OPEN_READWRITE));
    ASSERT_TRUE(later.run("PRAGMA user_version = 3"));
    const auto read = Recording::open(file());
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message().find("format 3"), std::string::npos);
}

TEST_F(RecordingTest, AnomaliesStandInTheFile) {
    const auto to = writer(file());
    to->append({3, moment(1), "G2-item", "write skew", "hazard", "because",
                R"({"cycle":[{"from":"T1","to":"T2","edge":"rw","row":"17"}]})"});
    to->flush();
    sqlite::Database database;
    ASSERT_TRUE(database.open(file(), SQLITE_OPEN_READONLY));
    sqlite::Statement edges(database, R"(SELECT anomaly, step, "to" FROM edges)");
    ASSERT_EQ(edges.step(), sqlite::Statement::Step::row);
    EXPECT_EQ(edges.integer(0), 3);
    EXPECT_EQ(edges.integer(1), 1);
    EXPECT_EQ(edges.text(2), "T2");
}

}  // namespace
}  // namespace isotap::history::recording
