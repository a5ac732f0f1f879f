#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap {
namespace {

using history::Format;
using test::read;

TEST(DbcopHist, ReadsItsWholeNotation) {
    EXPECT_EQ(read("// first\n[x:=1 y==2 z==?] [x==1]!\n---\n[y:=2] // last"),
              "0: w x 1, r y 2, r z nil\n0! r x 1\n1: w y 2\n");
    EXPECT_EQ(read("[]\n---\n[]"), "0:\n1:\n") << "empty transactions are transactions";
}

TEST(DbcopHist, ErrorsSayWhatWasExpected) {
    EXPECT_EQ(read("[x:=1"), "file:1: truncated input: expected the end of a transaction: ]");
    EXPECT_EQ(read("[x:=1]\n[x:?]", Format::dbcop_hist),
              "file:2: malformed input: expected x:=1, x==1 or x==?");
    EXPECT_EQ(read("[x:=?]"), "file:1: malformed input: expected a value");
}

TEST(DbcopJson, ReadsEventsAndOutcomes) {
    EXPECT_EQ(read(R"({"params":{"id":0},"info":"","start":"","end":"","data":[[{"events":[
        {"Write":{"variable":0,"version":1}},{"Read":{"variable":1,"version":null}}],
        "committed":true}],[{"events":[],"committed":false}]]})"),
              "0: w 0 1, r 1 nil\n1!\n");
}

TEST(DbcopJson, MissingPartsAreErrors) {
    EXPECT_EQ(read(R"({"params":{}})"),
              "file:1: truncated input: expected a field \"data\" with the sessions");
    EXPECT_EQ(read(R"({"data":[[{"events":[{"Write":{"version":1}}]}]]})"),
              "file:1: malformed input: expected a field \"variable\"");
    EXPECT_EQ(read(R"({"data":[[{"events":[{"Swap":{}}]}]]})"),
              "file:1: malformed input: expected \"Write\" or \"Read\"");
}

std::string number(std::uint64_t value) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8) {
        bytes += static_cast<char>(value >> shift);
    }
    return bytes;
}

std::string event(bool writes, std::uint64_t variable, std::uint64_t value, bool succeeded) {
    return std::string(1, writes ? '\1' : '\0') + number(variable) + number(value) +
           std::string(1, succeeded ? '\1' : '\0');
}

std::string bincode() {
    std::string text;
    for (int i = 0; i < 5; ++i) {
        text += number(7);
    }
    text += number(4) + "info" + number(0) + number(0);
    text += number(2);
    text += number(1) + number(2) + event(true, 3, 4, true) + event(false, 3, 9, false) + '\1';
    text += number(1) + number(1) + event(false, 3, 4, true) + std::string(1, '\0');
    return text;
}

TEST(DbcopBincode, EventsThatFailedDidNothing) {
    EXPECT_EQ(read(bincode()), "0: w 3 4\n1! r 3 4\n");
}

TEST(DbcopBincode, EveryTruncationIsAnError) {
    const std::string whole = bincode();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto result = history::read_history_text(std::string_view(whole).substr(0, size),
                                                       "file", Format::dbcop_bincode);
        ASSERT_TRUE(result.has_error()) << size;
        EXPECT_EQ(result.error().kind, history::ReadErrorKind::truncated) << size;
    }
}

TEST(DbcopBincode, ALengthThatTheFileCannotHoldCostsNoMemory) {
    std::string lying = bincode().substr(0, 40) + number(~std::uint64_t{0});
    EXPECT_NE(read(lying, Format::dbcop_bincode).find("truncated input"), std::string::npos);
}

}  // namespace
}  // namespace isotap
