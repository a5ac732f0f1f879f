#include "analysis/report/row_text.hpp"

#include <gtest/gtest.h>

namespace isotap::analysis {
namespace {

TEST(RowText, IsTheKeyItselfWhereItFits) {
    EXPECT_EQ(row_text({0x35ULL << 56, 0}), "5");
    EXPECT_EQ(row_text({0x6575003137000000ULL, 0}), "eu,17");
    EXPECT_EQ(row_text({0x6162636465666768ULL, 0x69ULL << 56}), "abcdefghi");
}

TEST(RowText, IsANumberWhereTheKeyIsOne) {
    EXPECT_EQ(row_text({0, 17}), "17");
}

TEST(RowText, IsTheHashWhereTheKeyDoesNotFit) {
    EXPECT_EQ(row_text({0x9000000000000001ULL, 0xff}), "900000000000000100000000000000ff");
}

}  // namespace
}  // namespace isotap::analysis
