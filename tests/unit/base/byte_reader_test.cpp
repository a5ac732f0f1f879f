#include "isotap/base/byte_reader.hpp"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace isotap {
namespace {

TEST(ByteReader, ReadsBothByteOrders) {
    const std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(ByteReader(bytes).be16(), 0x0102);
    EXPECT_EQ(ByteReader(bytes).be32(), 0x01020304U);
    EXPECT_EQ(ByteReader(bytes).be64(), 0x0102030405060708U);
    EXPECT_EQ(ByteReader(bytes).le16(), 0x0201);
    EXPECT_EQ(ByteReader(bytes).le24(), 0x030201U);
    EXPECT_EQ(ByteReader(bytes).le32(), 0x04030201U);
    EXPECT_EQ(ByteReader(bytes).le64(), 0x0807060504030201U);
}

TEST(ByteReader, StaysFailedAfterReadingPastTheEnd) {
    const std::array<std::uint8_t, 3> bytes{1, 2, 3};
    ByteReader reader(bytes);
    EXPECT_EQ(reader.be32(), 0U);
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.u8(), 0) << "a reader that failed gives nothing more";
    EXPECT_TRUE(reader.at_end());
}

TEST(ByteReader, TakesTextUpToItsNul) {
    ByteReader reader(as_bytes(std::string_view("ab\0cd", 5)));
    EXPECT_EQ(reader.c_string(), "ab");
    EXPECT_EQ(as_text(reader.rest()), "cd");
    EXPECT_EQ(reader.c_string(), "");
    EXPECT_FALSE(reader.ok()) << "text without its NUL is no text";
}

TEST(ByteReader, AnEmptyTextIsNotAFailure) {
    ByteReader reader(as_bytes(std::string_view("\0", 1)));
    EXPECT_EQ(reader.c_string(), "");
    EXPECT_TRUE(reader.ok());
    EXPECT_TRUE(reader.at_end());
}

}  // namespace
}  // namespace isotap
