#include "proxy/ops/configuration_file.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ConfigurationFile parse(std::string_view text) {
    return parse_configuration_file(text, "p.toml");
}

std::string refusal_of_file(std::string_view text) {
    return refusal_of([&] { parse(text); });
}

TEST(ConfigurationFile, KeepsValuesWithTheirPlace) {
    const ConfigurationFile file = parse("listen = '127.0.0.1:1'\n\nthreads = 4\n");
    EXPECT_EQ(file.top.at("listen").text, "127.0.0.1:1");
    EXPECT_EQ(file.top.at("threads").text, "4");
    EXPECT_EQ(file.top.at("threads").origin, "p.toml:3: threads");
    EXPECT_TRUE(file.listeners.empty());
}

TEST(ConfigurationFile, ReadsTheTableOfLimits) {
    EXPECT_EQ(parse("[limits]\nsessions = 5\n").top.at("limits.sessions").text, "5");
    EXPECT_EQ(parse("limits.sessions = 5\n").top.at("limits.sessions").text, "5");
}

TEST(ConfigurationFile, ReadsListenersInTheirOrder) {
    const ConfigurationFile file =
        parse("mode = 'observe'\n[[listener]]\nlisten = 'a:1'\n[[listener]]\nlisten = 'b:2'\n");
    ASSERT_EQ(file.listeners.size(), 2U);
    EXPECT_EQ(file.listeners[0].at("listen").text, "a:1");
    EXPECT_EQ(file.listeners[1].at("listen").text, "b:2");
    EXPECT_EQ(file.top.at("mode").text, "observe");
}

TEST(ConfigurationFile, NamesTheLineOfAnUnknownOption) {
    EXPECT_THAT(refusal_of_file("\nlisen = 'a:1'\n"),
                StartsWith("p.toml:2: unknown option 'lisen'"));
    EXPECT_THAT(refusal_of_file("[limits]\nsesions = 1\n"),
                StartsWith("p.toml:2: unknown option 'limits.sesions'"));
    EXPECT_THAT(refusal_of_file("[[listener]]\nlisten = 'a:1'\nport = 1\n"),
                StartsWith("p.toml:3: unknown option 'port'"));
    EXPECT_THAT(refusal_of_file("config = 'other.toml'\n"), HasSubstr("unknown option 'config'"));
}

TEST(ConfigurationFile, KeepsOptionsOfTheProxyOutOfListeners) {
    EXPECT_THAT(refusal_of_file("[[listener]]\nthreads = 2\n"),
                StartsWith("p.toml:2: 'threads' holds for the whole proxy"));
    EXPECT_THAT(refusal_of_file("[[listener]]\n[listener.limits]\nsessions = 2\n"),
                StartsWith("p.toml:3: 'limits.sessions' holds for the whole proxy"));
}

TEST(ConfigurationFile, RefusesValuesThatAreNoText) {
    EXPECT_THAT(refusal_of_file("threads = 1.5\n"), StartsWith("p.toml:1: 'threads' is neither"));
    EXPECT_THAT(refusal_of_file("listen = ['a:1']\n"), StartsWith("p.toml:1: 'listen' is neither"));
    EXPECT_THAT(refusal_of_file("[listen.a.b]\n"), StartsWith("p.toml:1: unknown option"));
    EXPECT_THAT(refusal_of_file("\n[listener]\nlisten = 'a:1'\n"), StartsWith("p.toml:2: "));
    EXPECT_THAT(refusal_of_file("listener = [1]\n"), HasSubstr("[[listener]]"));
    EXPECT_THAT(refusal_of_file("listener = []\n"), HasSubstr("[[listener]]"));
}

TEST(ConfigurationFile, NamesTheLineOfWhatIsNoToml) {
    EXPECT_THAT(refusal_of_file("threads = 1\nlisten = \n"), StartsWith("p.toml:2: this is no"));
    EXPECT_THAT(refusal_of_file("a = 1\na = 2\n"), StartsWith("p.toml:2: this is no TOML"));
    EXPECT_NE(refusal_of_file("\xff\xfe"), "");
    EXPECT_NE(refusal_of_file(std::string(100'000, '[')), "");
}

}  // namespace
}  // namespace isotap::proxy
