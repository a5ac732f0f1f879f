#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap {
namespace {

using test::read;

TEST(AwditReader, ReadsTransactionsAndSessions) {
    EXPECT_EQ(read("w 0 1\nr 1 0\n-----\nr 0 1\n=====\nw 1 2\n"),
              "0: w 0 1, r 1 0\n0: r 0 1\n1: w 1 2\n");
    EXPECT_EQ(read("w 0 1\r\n-----\r\nr 0 1\r\n"), "0: w 0 1\n0: r 0 1\n") << "CRLF";
}

TEST(AwditReader, ThereIsNoStateBeforeTheFirstTransaction) {
    const auto result = history::read_history_text("r 0 0\n", "file");
    ASSERT_FALSE(result.has_error());
    EXPECT_FALSE(result->history.has_initial_state);
    EXPECT_EQ(result->history.operations[0].value, 0);
}

TEST(AwditReader, ErrorsNameTheLine) {
    EXPECT_EQ(read("w 0 1\nw 0\n"),
              "file:2: malformed input: expected `r key value`, `w key value`, ----- or =====");
    EXPECT_EQ(read("w 0 1 7\n").substr(0, 7), "file:1:");
}

}  // namespace
}  // namespace isotap
