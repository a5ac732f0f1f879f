#include "protocol/postgres/frame_reader.hpp"

#include <string>

#include <gtest/gtest.h>

namespace isotap::postgres {
namespace {

using std::string_literals::operator""s;

Bytes reading(FrameReader& reader, const std::string& input) {
    reader.feed(as_bytes(input));
    return reader.take_whole('D');
}

TEST(FrameReader, TakesARunOfWholeMessages) {
    FrameReader reader(64);
    const std::string rows = "D\0\0\0\4D\0\0\0\6xxD\0\0\0\5y"s;
    const std::string input = rows + "C\0\0\0\4"s;
    EXPECT_EQ(as_text(reading(reader, input)), rows);
    EXPECT_EQ(as_text(reader.rest()), "C\0\0\0\4"s);
}

TEST(FrameReader, LeavesWhatIsNotWholeOrNoSuchMessage) {
    for (const std::string& tail :
         {"D"s, "D\0\0\0"s, "D\0\0\0\5"s, "C\0\0\0\4"s, ""s, "D\0\0\0\3"s, "D\xff\xff\xff\xffx"s}) {
        FrameReader reader(64);
        const std::string input = "D\0\0\0\5x"s + tail;
        EXPECT_EQ(as_text(reading(reader, input)), "D\0\0\0\5x"s);
        EXPECT_EQ(as_text(reader.rest()), tail);
        EXPECT_TRUE(reader.at_boundary());
    }
}

}  // namespace
}  // namespace isotap::postgres
