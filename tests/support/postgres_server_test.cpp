#include "tests/support/postgres_server.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace isotap::test {
namespace {

class EveryVersion : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) GTEST_SKIP() << "this version cannot be had here";
    }
};

TEST_P(EveryVersion, StartsAnswersAndCleansUp) {
    std::filesystem::path folder;
    {
        PostgresServer server({.version = GetParam(), .tls = true});
        folder = server.folder();
        EXPECT_EQ(server.sql("SELECT current_setting('server_version_num')::int / 10000"),
                  std::to_string(GetParam()) + "\n");
        const std::string over_tls =
            run_or_throw({.arguments = {"psql", "-X", "-A", "-t", "-c",
                                        "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
                                        server.url() + "?sslmode=verify-full&sslrootcert=" +
                                            server.authority().root().string()}});
        EXPECT_EQ(over_tls, "t\n");
    }
    EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_P(EveryVersion, ComesBackOnItsPortAfterACrash) {
    PostgresServer server({.version = GetParam()});
    const auto port = server.port();
    server.stop(true);
    server.start();
    EXPECT_EQ(server.port(), port);
    EXPECT_EQ(server.sql("SELECT 1"), "1\n");
}

INSTANTIATE_TEST_SUITE_P(Postgres, EveryVersion, testing::Values(12, 15, 18),
                         [](const auto& version) { return std::to_string(version.param); });

}  // namespace
}  // namespace isotap::test
