#include "proxy/ops/setting.hpp"

#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "proxy/ops/limit_table.hpp"
#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

TEST(Settings, HaveNamesOfTheirOwn) {
    std::set<std::string> names;
    for (const Setting& setting : settings()) {
        EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
        EXPECT_FALSE(setting.help.empty()) << setting.name;
        EXPECT_EQ(find_setting(setting.name), &setting);
    }
    EXPECT_EQ(find_setting("no-such-option"), nullptr);
}

TEST(Settings, StandInTheEnvironmentInCapitals) {
    const std::map<std::string, std::string> variables{
        {"ISOTAP_DRAIN_TIMEOUT", "5s"}, {"ISOTAP_LIMITS_SESSIONS", "7"}, {"ISOTAP_SOURCE", "x"}};
    const Layer layer = settings_in_environment([&](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
    EXPECT_EQ(layer.size(), 2U);
    EXPECT_EQ(layer.at("drain-timeout").text, "5s");
    EXPECT_EQ(layer.at("drain-timeout").origin, "ISOTAP_DRAIN_TIMEOUT");
    EXPECT_EQ(layer.at("limits.sessions").text, "7");
}

TEST(LimitTable, HasARowForEveryBound) {
    // Every member of Limits is eight bytes wide.
    EXPECT_EQ(limit_table().size() * 8, sizeof(Limits));
}

TEST(LimitTable, AllowsItsOwnDefaults) {
    const Limits defaults;
    for (const LimitRow& row : limit_table()) {
        const auto* size = std::get_if<SizeLimit>(&row.member);
        const std::uint64_t value =
            size != nullptr
                ? defaults.*(*size)
                : static_cast<std::uint64_t>((defaults.*std::get<TimeLimit>(row.member)).count());
        EXPECT_GE(value, row.least) << row.name;
        EXPECT_LE(value, row.most) << row.name;
    }
}

TEST(LimitTable, SetsTheBoundThatItNames) {
    Limits limits;
    apply_limit("bytes-in-flight", "1MiB", limits);
    apply_limit("sessions", "12", limits);
    apply_limit("connect-timeout", "3s", limits);
    EXPECT_EQ(limits.bytes_in_flight, 1'048'576U);
    EXPECT_EQ(limits.sessions, 12U);
    EXPECT_EQ(limits.connect_timeout, std::chrono::milliseconds(3'000));
}

TEST(LimitTable, WritesWhatItReads) {
    for (const LimitRow& row : limit_table()) {
        const std::string written = written_value(row, Limits{});
        Limits read;
        apply_limit(row.name, written, read);
        EXPECT_EQ(written_value(row, read), written) << row.name;
    }
    Limits limits;
    apply_limit("login-timeout", "1500ms", limits);
    apply_limit("read-chunk", "65537", limits);
    EXPECT_EQ(written_value(limit_table()[1], limits), "65537");
    EXPECT_EQ(written_value(limit_table()[5], limits), "1500ms");
}

TEST(LimitTable, RefusesUnitsOfAnotherKindAndWhatIsOutOfRange) {
    Limits limits;
    EXPECT_NE(refusal_of([&] { apply_limit("sessions", "1KiB", limits); }), "");
    EXPECT_NE(refusal_of([&] { apply_limit("connect-timeout", "1000", limits); }), "");
    EXPECT_NE(refusal_of([&] { apply_limit("read-chunk", "0", limits); }), "");
    EXPECT_NE(refusal_of([&] { apply_limit("read-chunk", "1GiB", limits); }), "");
    EXPECT_EQ(limits.read_chunk, Limits{}.read_chunk);
}

}  // namespace
}  // namespace isotap::proxy
