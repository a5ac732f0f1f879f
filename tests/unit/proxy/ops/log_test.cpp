#include "proxy/ops/log.hpp"

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/ops/log_line.hpp"

namespace isotap::proxy {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

struct CloseFile {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

LogLine example() {
    return {.at = Time{1'769'851'800'123ms},
            .level = LogLevel::warning,
            .session = history::SessionId{7},
            .what = "desynchronised",
            .detail = "a reply that nothing asked for"};
}

TEST(LogLine, IsTextForPeople) {
    EXPECT_EQ(as_text(example()),
              "2026-01-31T09:30:00.123Z warning session=7 desynchronised: a reply that nothing "
              "asked for");
}

TEST(LogLine, IsJsonForMachines) {
    EXPECT_EQ(as_json(example()),
              R"({"time":"2026-01-31T09:30:00.123Z","level":"warning","session":7,)"
              R"("event":"desynchronised","detail":"a reply that nothing asked for"})");
}

TEST(LogLine, LeavesOutWhatThereIsNot) {
    LogLine line = example();
    line.session.reset();
    line.detail = {};
    EXPECT_THAT(as_text(line), EndsWith("warning desynchronised"));
    EXPECT_THAT(as_json(line), EndsWith(R"("event":"desynchronised"})"));
}

TEST(LogLine, EscapesWhatWouldForgeALine) {
    LogLine line = example();
    line.detail = "a\nb\x1b[31m \"q\" \\ \xff";
    EXPECT_THAT(as_text(line), EndsWith(R"(: a\x0ab\x1b[31m "q" \ \xff)"));
    EXPECT_THAT(as_json(line), EndsWith(R"("a\\x0ab\\x1b[31m \"q\" \\ \\xff"})"));
}

TEST(LogLine, CutsWhatIsTooLong) {
    LogLine line = example();
    const std::string detail(5'000, 'x');
    line.detail = detail;
    EXPECT_LT(as_text(line).size(), 700U);
    EXPECT_THAT(as_text(line), EndsWith("xxx... (5000 bytes)"));
}

TEST(Log, WritesWhatIsQueuedBeforeItEnds) {
    const File file(std::tmpfile());
    {
        Log log(LogFormat::text, LogLevel::info, file.get());
        log.line(LogLevel::info, "ready");
        log.session(LogLevel::error, history::SessionId{3}, "lost", "why");
        log.line(LogLevel::debug, "chatter");
        EXPECT_TRUE(log.wants(LogLevel::info));
        EXPECT_FALSE(log.wants(LogLevel::debug));
    }
    std::rewind(file.get());
    std::string text(4'096, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    EXPECT_THAT(text, HasSubstr("Z info ready\n"));
    EXPECT_THAT(text, HasSubstr("Z error session=3 lost: why\n"));
    EXPECT_THAT(text, Not(HasSubstr("chatter")));
}

TEST(Log, LosesLinesRatherThanMakeTheCallerWait) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(pipe2(pipe.data(), O_CLOEXEC), 0);
    const File reader(fdopen(pipe[0], "r"));
    File writer(fdopen(pipe[1], "w"));
    auto log = std::make_unique<Log>(LogFormat::text, LogLevel::info, writer.get());
    // Nobody reads: the pipe fills, then the queue. This loop would never end if callers waited.
    const std::string detail(400, 'x');
    while (log->lost() == 0) {
        log->line(LogLevel::info, "line", detail);
    }
    EXPECT_GT(log->lost(), 0U);
    std::thread drain([&] {
        std::array<char, 4'096> chunk{};
        while (std::fread(chunk.data(), 1, chunk.size(), reader.get()) > 0) {
        }
    });
    log.reset();
    writer.reset();
    drain.join();
}

}  // namespace
}  // namespace isotap::proxy
