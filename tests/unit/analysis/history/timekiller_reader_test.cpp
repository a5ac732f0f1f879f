#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap {
namespace {

using test::read;

TEST(TimekillerReader, OrdersTransactionsByTheirCommitAndTakesTextForPhysicalTime) {
    const auto result = history::read_history_text(
        R"([{"tid":2,"sid":19,"sts":{"p":"1700000000000000003","l":0},
             "cts":{"p":"1700000000000000003","l":7},"ops":[{"t":"r","k":7,"v":2}]},
            {"tid":1,"sid":20,"sts":{"p":"1700000000000000001","l":0},
             "cts":{"p":"1700000000000000002","l":0},"ops":[{"t":"w","k":7,"v":2}]}])",
        "file");
    ASSERT_FALSE(result.has_error()) << result.error().message();
    EXPECT_EQ(test::tell(result->history), "1: w 7 2\n0: r 7 2\n");
    EXPECT_TRUE(result->history.has_real_time);
    EXPECT_LT(result->history.transactions[0].ended, result->history.transactions[1].began);
}

TEST(TimekillerReader, ReadsLists) {
    EXPECT_EQ(read(R"([{"tid":1,"sid":1,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},
                       "ops":[{"t":"a","k":6,"v":4},{"t":"r","k":6,"v":[4]},
                              {"t":"r","k":5,"v":[]}]}])"),
              "0: a 6 4, r 6 [4], r 5 nil\n");
}

TEST(TimekillerReader, ErrorsSayWhatWasExpected) {
    EXPECT_EQ(read(R"([{"tid":1,"sid":1,"sts":{"p":3,"l":0},"cts":{"p":2,"l":0},"ops":[]}])"),
              "file:1: malformed input: expected a start (sts) and a commit (cts) that is not "
              "before it");
    EXPECT_EQ(read(R"([{"tid":1,"sts":{"p":"x","l":0}}])"),
              "file:1: malformed input: expected a number in a time");
    EXPECT_EQ(read(R"([{"tid":1,"ops":[{"t":"w","k":1,"v":2},{"t":"a","k":1,"v":2}]}])"),
              "file:1: malformed input: expected one kind of history: this one mixes appends with "
              "writes");
    const std::string twice = "file:1: malformed input: expected each field of an operation once";
    EXPECT_EQ(read(R"([{"tid":1,"ops":[{"k":1,"v":[2],"v":3}]}])"), twice);
    EXPECT_EQ(read(R"([{"tid":1,"ops":[{"t":"r","k":1,"t":"w"}]}])"), twice);
    EXPECT_EQ(read(R"([{"tid":1,"ops":[{"k":1,"v":2,"k":3}]}])"), twice);
    const std::string list = "file:1: malformed input: expected a list where something is read";
    EXPECT_EQ(read(R"([{"tid":1,"ops":[{"t":"w","k":1,"v":[2]}]}])"), list);
    EXPECT_EQ(read(R"([{"tid":1,"ops":[{"k":1,"v":[2],"t":"a"}]}])"), list);
}

TEST(TimekillerReader, TakesTheFieldsOfAnOperationInAnyOrder) {
    EXPECT_EQ(read(R"([{"tid":1,"sid":1,"sts":{"p":1,"l":0},"cts":{"p":2,"l":0},
                       "ops":[{"v":4,"t":"a","k":6},{"k":6,"v":[4],"t":"r"}]}])"),
              "0: a 6 4, r 6 [4]\n");
}

}  // namespace
}  // namespace isotap
