#include "tests/wire/wire_script.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/postgres_wire.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/wire/postgres_step_message.hpp"
#include "tests/wire/postgres_transcript.hpp"

namespace isotap::test {
namespace {

WireScript script_of(const std::string& text) {
    const TemporaryFolder folder;
    write_file(folder.path() / "probe.wire", text);
    return read_script(folder.path() / "probe.wire");
}

std::string bytes_of(const std::string& line) {
    const WireScript script = script_of("shows X-01\n" + line);
    return message_of(script.steps.front()).value();
}

TEST(WireScript, ReadsDirectivesStepsAndEscapes) {
    const WireScript script = script_of(
        "# words\nshows PG-01 X-02\nservers 12 18\n\nQuery \"a\\n\\x41\\\"\" # and more\n");
    EXPECT_EQ(script.name, "probe");
    EXPECT_EQ(script.shows, (std::vector<std::string>{"PG-01", "X-02"}));
    EXPECT_EQ(script.servers, (std::vector<int>{12, 18}));
    ASSERT_EQ(script.steps.size(), 1U);
    EXPECT_EQ(script.steps[0].line, 5);
    EXPECT_EQ(script.steps[0].at(1), "a\nA\"");
}

TEST(WireScript, RepeatsAQuotedWord) {
    EXPECT_EQ(script_of("shows X-02\nCopyData \"ab\"*3").steps[0].at(1), "ababab");
}

TEST(WireScript, RefusesWhatItCannotRead) {
    EXPECT_THROW(script_of("shows X-01\nQuery \"open"), std::runtime_error);
    EXPECT_THROW(script_of("shows X-01\n"), std::runtime_error) << "no steps";
    EXPECT_THROW(script_of("Sync\n"), std::runtime_error) << "shows nothing";
}

TEST(StepMessage, WritesFieldsInWireOrder) {
    using namespace std::literals;
    EXPECT_EQ(bytes_of("Query \"x\""), "Q\0\0\0\6x\0"s);
    EXPECT_EQ(bytes_of("Parse \"s\" \"y\" 23"), "P\0\0\0\x0Es\0y\0\0\1\0\0\0\x17"s);
    EXPECT_EQ(bytes_of("Bind \"\" \"\" formats 1 values \"v\" null results 0 1"),
              "B\0\0\0\x1B\0\0\0\1\0\1\0\2\0\0\0\1v\xFF\xFF\xFF\xFF\0\2\0\0\0\1"s);
    EXPECT_EQ(bytes_of("Bytes 00 ff \"z\""), "\0\xFFz"s);
    EXPECT_EQ(bytes_of("SSLRequest"), "\0\0\0\x08\x04\xD2\x16\x2F"s);
}

TEST(Transcript, MasksWhatChangesFromRunToRun) {
    using namespace std::literals;
    EXPECT_EQ(transcript_line({'K', "12345678"}), "BackendKeyData 8 bytes of key");
    EXPECT_EQ(transcript_line({'A', "\1\2\3\4ch\0p\0"s}),
              "NotificationResponse pid# ch\\x00p\\x00");
    EXPECT_EQ(transcript_line({'E', "MProcess 4711 waits"}), "ErrorResponse MProcess # waits");
    EXPECT_EQ(transcript_line({'Z', "I"}), "ReadyForQuery I");
    EXPECT_NE(transcript_line({'D', std::string(1000, 'a')}),
              transcript_line({'D', std::string(999, 'a') + "b"}));
}

}  // namespace
}  // namespace isotap::test
