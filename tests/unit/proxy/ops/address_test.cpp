#include "proxy/ops/address.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

using testing::HasSubstr;

TEST(Address, ReadsWhatItWrites) {
    for (const char* text : {"127.0.0.1:5432", "db.example.com:0", "[::1]:65535", "[fe80::1%lo]:1",
                             "my_host-2:3306", "/run/isotap/.s.PGSQL.5432"}) {
        EXPECT_EQ(to_string(parse_address(text)), text);
    }
}

TEST(Address, TellsItsParts) {
    EXPECT_EQ(parse_address("[::1]:5432"), (Address{"::1", 5432}));
    EXPECT_EQ(parse_address("localhost:5432"), (Address{"localhost", 5432}));
    EXPECT_TRUE(parse_address("/tmp/socket").is_unix());
}

TEST(Address, RefusesWhatIsNone) {
    for (const char* text :
         {"",         "5432",  "localhost", ":5432", "::1:5432", "[localhost]:5432",
          "[]:1",     "[::1]", "[::1:5432", "a b:1", "h:",       "h:x",
          "h:65536",  "h:-1",  "h:+1",      "h: 1",  "h:1 ",     "[::1%]]:1",
          "[zz::]:1", "/tmp/"}) {
        EXPECT_NE(refusal_of([&] { parse_address(text); }), "") << text;
    }
}

TEST(Address, RefusesASocketPathThatNoSocketCanHave) {
    const std::string longest = "/" + std::string(106, 'x');
    EXPECT_EQ(parse_address(longest).host, longest);
    EXPECT_THAT(refusal_of([&] { parse_address(longest + "x"); }), HasSubstr("107 bytes"));
    EXPECT_NE(refusal_of([] { parse_address(std::string("/a\0b", 4)); }), "");
}

TEST(Address, OfTheAdminPageMayBeAPortOfThisMachine) {
    EXPECT_EQ(parse_admin_address("9090"), (Address{"127.0.0.1", 9090}));
    EXPECT_EQ(parse_admin_address(":0"), (Address{"127.0.0.1", 0}));
    EXPECT_EQ(parse_admin_address("[::]:9090"), (Address{"::", 9090}));
    EXPECT_NE(refusal_of([] { parse_admin_address("/tmp/socket"); }), "");
    EXPECT_NE(refusal_of([] { parse_admin_address(""); }), "");
    EXPECT_NE(refusal_of([] { parse_admin_address("65536"); }), "");
}

TEST(Address, KnowsWhatOnlyThisMachineReaches) {
    for (const char* text : {"127.0.0.1:1", "127.1.2.3:1", "[::1]:1", "localhost:1", "/tmp/s"}) {
        EXPECT_TRUE(is_loopback(parse_address(text))) << text;
    }
    for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "db:1"}) {
        EXPECT_FALSE(is_loopback(parse_address(text))) << text;
    }
}

}  // namespace
}  // namespace isotap::proxy
