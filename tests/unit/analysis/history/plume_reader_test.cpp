#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap {
namespace {

using test::read;

TEST(PlumeReader, ReadsOneOperationALine) {
    EXPECT_EQ(read("w(1,5,0,0)\nr(2,0,0,0)\nr(1,5,1,1)\n"), "0: w 1 5, r 2 0\n1: r 1 5\n");
}

TEST(PlumeReader, TransactionMinusOneAborted) {
    EXPECT_EQ(read("w(1,5,0,-1)\nw(1,6,0,2)\nw(1,7,0,-1)\n"), "0! w 1 5\n0: w 1 6\n0! w 1 7\n");
}

TEST(PlumeReader, TransactionNumbersMayBeUsedAgainInEverySession) {
    EXPECT_EQ(read("w(1,5,0,1)\nw(1,6,1,1)\n"), "0: w 1 5\n1: w 1 6\n");
}

TEST(PlumeReader, OperationsOfOneTransactionMayStandApart) {
    EXPECT_EQ(read("w(1,5,0,0)\nw(2,1,1,1)\nw(1,6,0,0)\nr(2,1,1,1)\n"),
              "0: w 1 5, w 1 6\n1: w 2 1, r 2 1\n");
}

TEST(PlumeReader, ErrorsNameTheLine) {
    for (const char* wrong : {"w(1,5,0", "w(1,5,0,0", "x(1,2,3,4)", "w(1,5,0,0)x", "w(1;5,0,0)"}) {
        EXPECT_EQ(read("w(9,9,0,0)\n" + std::string(wrong) + "\n"),
                  "file:2: malformed input: expected r(key,value,session,transaction) or w(…)")
            << wrong;
    }
}

}  // namespace
}  // namespace isotap
