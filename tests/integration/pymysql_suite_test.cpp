// PyMySQL's own test suite ends in the same way through the proxy as without it, test by test.
#include <filesystem>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/paths.hpp"
#include "tests/wire/mysql_setting.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* version = "0.10.1";  // the last source distribution with tests in it

/// Fetched once; empty, with the reason on stderr, when it cannot be had.
fs::path suite() {
    const fs::path kept = cache_folder() / (std::string("PyMySQL-") + version);
    if (fs::exists(kept)) return kept;
    const TemporaryFolder scratch;
    const Finished fetched = run(
        {.arguments = {"python3", "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary",
                       ":all:", "--dest", scratch.path(), std::string("PyMySQL==") + version}},
        std::chrono::minutes(2));
    const fs::path archive = scratch.path() / (std::string("PyMySQL-") + version + ".tar.gz");
    if (fetched.exit_code != 0 || !fs::exists(archive)) {
        std::cerr << "SKIPPED: PyMySQL's suite: " << fetched.output << '\n';
        return {};
    }
    run_or_throw({.arguments = {"tar", "-xzf", archive, "-C", cache_folder()}});
    return kept;
}

class PymysqlSuite : public testing::TestWithParam<MysqlFlavour> {};

TEST_P(PymysqlSuite, EndsInTheSameWay) {
    if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    const fs::path folder = suite();
    if (folder.empty()) GTEST_SKIP() << "no suite here";
    MysqlSetting setting(GetParam());
    const auto run_suite = [&](std::uint16_t port) {
        return run_or_throw({.arguments = {"/usr/bin/python3",
                                           source_folder() / "tests/integration/pymysql_suite.py",
                                           std::to_string(port), folder}},
                            std::chrono::minutes(5));
    };
    const std::string direct = run_suite(setting.direct().port);
    std::cout << direct;
    EXPECT_GE(std::stol(direct.substr(direct.rfind('\n', direct.size() - 2) + 1)), 90);
    for (const std::string mode : {"relay", "observe"}) {
        const Route route{.name = mode, .mode = mode};
        EXPECT_EQ(run_suite(setting.front(route).port), direct) << mode;
        for (const char* note : {"desynchronised", "unknown_message", "opaque_compression"}) {
            EXPECT_EQ(setting.notes(route, note), 0) << note;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, PymysqlSuite,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql,
                                         MysqlFlavour::mariadb_11),
                         [](const auto& named) { return testing::PrintToString(named.param); });

}  // namespace
}  // namespace isotap::test
