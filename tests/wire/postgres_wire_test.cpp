// The definition of transparency: a conversation held with the server and one held through the
// proxy give the same messages.
#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/paths.hpp"
#include "tests/wire/postgres_player.hpp"
#include "tests/wire/postgres_setting.hpp"
#include "tests/wire/wire_script.hpp"

namespace isotap::test {
namespace {

/// One script on one way to one version.
struct Case {
    int version = 0;
    Route route;
    WireScript script;
};

void PrintTo(const Case& held, std::ostream* out) {
    *out << held.version << "_" << held.route.name << "_" << held.script.name;
}

std::vector<Case> cases(const std::vector<int>& versions, const std::vector<Route>& routes) {
    std::vector<Case> all;
    for (const int version : versions) {
        for (const Route& route : routes) {
            for (const WireScript& script : read_scripts(source_folder() / "tests/wire/postgres")) {
                const auto& only = script.servers;
                if (route.tls && script.in_clear) continue;
                if (only.empty() || std::find(only.begin(), only.end(), version) != only.end()) {
                    all.push_back({version, route, script});
                }
            }
        }
    }
    return all;
}

testing::AssertionResult same(const Transcript& direct, const Transcript& through) {
    if (direct == through) return testing::AssertionSuccess();
    const auto [a, b] = std::mismatch(direct.begin(), direct.end(), through.begin(), through.end());
    const auto at = [](const Transcript& lines, auto line) {
        return line == lines.end() ? std::string("nothing more") : *line;
    };
    return testing::AssertionFailure()
           << "message " << a - direct.begin() + 1 << "\n  direct:  " << at(direct, a)
           << "\n  through: " << at(through, b);
}

class PostgresWireTest : public testing::TestWithParam<Case> {
  protected:
    static PostgresSetting& setting(int version, bool tls) {
        auto& known = settings()[{version, tls}];
        if (!known) known = std::make_unique<PostgresSetting>(version, tls);
        return *known;
    }

    static const Transcript& direct(int version, bool tls, const WireScript& script) {
        static std::map<std::tuple<int, bool, std::string>, Transcript> known;
        const auto key = std::tuple(version, tls, script.name);
        const auto found = known.find(key);
        if (found != known.end()) return found->second;
        const Endpoint server = setting(version, tls).server();
        return known[key] = PostgresPlayer(server, server, tls).play(script);
    }

    static void TearDownTestSuite() { settings().clear(); }

  private:
    using Settings = std::map<std::pair<int, bool>, std::unique_ptr<PostgresSetting>>;

    static Settings& settings() {
        static Settings all;
        return all;
    }
};

TEST_P(PostgresWireTest, GivesTheSameMessages) {
    const auto& [version, route, script] = GetParam();
    if (!postgres_programs(version)) GTEST_SKIP() << "this version cannot be had here";
    const Transcript& expected = direct(version, route.tls, script);
    PostgresSetting& here = setting(version, route.tls);
    PostgresPlayer player(here.front(route), here.server(), route.tls);
    const double blind_before = here.sessions_gone_blind(route);
    EXPECT_TRUE(same(expected, player.play(script)));
    if (script.blinds) {
        // The server may have ended the session at a message whose rest was still on its way here.
        EXPECT_TRUE(here.await_no_session(route));
    } else {
        EXPECT_EQ(here.sessions_gone_blind(route), blind_before) << "no longer decoded";
    }
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
    return testing::PrintToString(test.param);
}

INSTANTIATE_TEST_SUITE_P(Fully, PostgresWireTest, testing::ValuesIn(cases({15}, every_route())),
                         name_of);

// The versions differ in what the server says, hardly in how bytes travel: fewer routes do.
INSTANTIATE_TEST_SUITE_P(Versions, PostgresWireTest,
                         testing::ValuesIn(cases({12, 18}, main_routes())), name_of);

INSTANTIATE_TEST_SUITE_P(OverTls, PostgresWireTest, testing::ValuesIn(cases({15}, tls_routes())),
                         name_of);

}  // namespace
}  // namespace isotap::test
