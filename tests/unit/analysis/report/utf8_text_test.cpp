#include "analysis/report/utf8_text.hpp"

#include <gtest/gtest.h>

namespace isotap::analysis {
namespace {

TEST(Utf8Text, LeavesWhatIsValid) {
    for (const char* text :
         {"", "select 1", "zw\xC3\xB6lf \xE2\x82\xAC \xF0\x9F\x92\xA7 \xF4\x8F\xBF\xBF"}) {
        EXPECT_EQ(in_utf8(text), text);
    }
}

TEST(Utf8Text, ReplacesWhatIsNot) {
    EXPECT_EQ(in_utf8("a\xA0z"), "a\xEF\xBF\xBDz");
    EXPECT_EQ(in_utf8("cut \xE2\x82"), "cut \xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_EQ(in_utf8("\xC3\xB6\xC3"), "\xC3\xB6\xEF\xBF\xBD");
    for (const char* wrong :
         {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"}) {
        EXPECT_EQ(in_utf8(wrong).find("\xEF\xBF\xBD"), 0U);
        EXPECT_EQ(in_utf8(in_utf8(wrong)), in_utf8(wrong));
    }
}

}  // namespace
}  // namespace isotap::analysis
