#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap {
namespace {

namespace fs = std::filesystem;

std::string record(char letter, std::initializer_list<std::uint64_t> numbers) {
    std::string bytes(1, letter);
    for (const std::uint64_t number : numbers) {
        for (int shift = 56; shift >= 0; shift -= 8) {
            bytes += static_cast<char>(number >> shift);
        }
    }
    return bytes;
}

struct CobraReaderTest : testing::Test {
    fs::path folder =
        fs::path(testing::TempDir()) /
        ("cobra_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    void log(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
    [[nodiscard]] std::string read() const {
        const auto result = history::read_history(folder.string());
        return result ? test::tell(result->history) : result.error().message();
    }
};

TEST_F(CobraReaderTest, OneLogIsOneSession) {
    log("T1.log", record('S', {1}) + record('W', {100, 5, 0}) + record('C', {1}));
    log("T2.log", record('S', {2}) + record('R', {1, 100, 5, 0}) +
                      record('R', {0xdeadbeef, 0xdeadbeef, 6, 0}) +
                      record('R', {0xbebeebee, 0xbebeebee, 7, 0}) + record('C', {2}));
    log("notes.txt", "not a log");
    EXPECT_EQ(read(), "0: w 5 100\n1: r 5 100, r 6 nil, r 7 nil\n");
}

TEST_F(CobraReaderTest, ATransactionWithoutAnEndIsIndeterminate) {
    log("T1.log", record('S', {1}) + record('W', {100, 5, 0}));
    EXPECT_EQ(read(), "0? w 5 100\n");
}

TEST_F(CobraReaderTest, ErrorsNameFileAndByte) {
    log("T1.log", record('S', {1}) + "X");
    EXPECT_EQ(read(),
              (folder / "T1.log").string() + ": byte 9: malformed input: expected S, R, W or C");
    log("T1.log", record('S', {1}) + "W\1\2");
    EXPECT_EQ(read(), (folder / "T1.log").string() +
                          ": byte 12: truncated input: expected the numbers of an operation");
    log("T1.log", record('S', {1}) + record('S', {2}));
    EXPECT_EQ(read(), (folder / "T1.log").string() +
                          ": byte 9: contradictory input: a transaction starts inside another one");
}

TEST_F(CobraReaderTest, AFolderWithoutLogsIsNoHistory) {
    EXPECT_EQ(read(), folder.string() + ": cannot be read: no T*.log in this folder");
}

}  // namespace
}  // namespace isotap
