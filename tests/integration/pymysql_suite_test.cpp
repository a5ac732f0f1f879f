// PyMySQL's own test suite ends in the same way through the proxy as without it, test by test.
#include <filesystem>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/integration/suites/suite_source.hpp"
#include "tests/support/paths.hpp"
#include "tests/wire/mysql_setting.hpp"

namespace isotap::test {
namespace {

class PymysqlSuite : public testing::TestWithParam<MysqlFlavour> {};

TEST_P(PymysqlSuite, EndsInTheSameWay) {
    if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    const std::filesystem::path folder = source_of_suite("pymysql");
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
