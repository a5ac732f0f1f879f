#include "proxy/ops/quantity.hpp"

#include <gtest/gtest.h>

#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

using std::chrono::milliseconds;

TEST(Quantity, ReadsSizes) {
    EXPECT_EQ(parse_size("512"), 512U);
    EXPECT_EQ(parse_size("512B"), 512U);
    EXPECT_EQ(parse_size("64KiB"), 65'536U);
    EXPECT_EQ(parse_size("3MiB"), 3'145'728U);
    EXPECT_EQ(parse_size("2GiB"), 2'147'483'648U);
}

TEST(Quantity, ReadsTimes) {
    EXPECT_EQ(parse_duration("250ms"), milliseconds(250));
    EXPECT_EQ(parse_duration("30s"), milliseconds(30'000));
    EXPECT_EQ(parse_duration("2min"), milliseconds(120'000));
    EXPECT_EQ(parse_duration("1h"), milliseconds(3'600'000));
    EXPECT_EQ(parse_duration("1000000h"), milliseconds(3'600'000'000'000));
}

TEST(Quantity, RefusesEverythingElse) {
    for (const char* text : {"", " 1", "1 ", "-1", "+1", "1k", "1KB", "1kib", "KiB", "1.5KiB",
                             "0x10", "18446744073709551616", "9223372036854775807KiB"}) {
        EXPECT_NE(refusal_of([&] { parse_size(text); }), "") << text;
    }
    for (const char* text : {"30", "", "s", "1m", "1d", "-1s", "9223372036854775807s",
                             "9223372036854775807ms", "3000000h"}) {
        EXPECT_NE(refusal_of([&] { parse_duration(text); }), "") << text;
    }
    for (const char* text : {"", "1B", "1e3", "18446744073709551616"}) {
        EXPECT_NE(refusal_of([&] { parse_count(text); }), "") << text;
    }
}

}  // namespace
}  // namespace isotap::proxy
