// PostgreSQL's own isolation specs: run by isotap, through an isotap that makes every statement
// tell what it touched, they give the output that PostgreSQL expects.
#include <array>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

/// Serializable schedules, row locks, unique keys, foreign keys, waits, deadlocks with markers,
/// notices.
constexpr std::array specifications{"simple-write-skew",
                                    "read-only-anomaly",
                                    "read-write-unique",
                                    "two-ids",
                                    "total-cash",
                                    "lock-update-delete",
                                    "nowait",
                                    "skip-locked",
                                    "delete-abort-savept",
                                    "deadlock-simple",
                                    "fk-deadlock2",
                                    "insert-conflict-do-update",
                                    "ri-trigger",
                                    "propagate-lock-delete"};

class IsolationTester : public testing::TestWithParam<bool> {};

TEST_P(IsolationTester, GivesTheExpectedOutputOfPostgresOwnSpecifications) {
    const Finished fetched =
        run({.arguments = {"python3", source_folder() / "tests/integration/postgres_source.py",
                           "isolation", cache_folder()}},
            std::chrono::minutes(10));
    if (fetched.exit_code != 0) GTEST_SKIP() << fetched.output;
    // What the package tools say comes before; the folder is the last line.
    std::string said = fetched.output;
    said.pop_back();
    const fs::path folder = said.substr(said.rfind('\n') + 1);
    const PostgresServer server({.settings = {"max_prepared_transactions=10"}});
    for (const std::string name : specifications) {
        std::vector<std::string> arguments{build_folder() / "isotap",
                                           "run",
                                           "--isolation-tester",
                                           "--target",
                                           server.url(),
                                           folder / "specs" / (name + ".spec")};
        if (GetParam()) arguments.emplace_back("--direct");
        const Finished done = run({.arguments = arguments}, std::chrono::minutes(3));
        std::string expected = read_file(folder / "expected" / (name + ".out"));
        const fs::path other = folder / "expected" / (name + "_1.out");
        if (done.output != expected && fs::exists(other)) expected = read_file(other);
        EXPECT_EQ(done.output, expected) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Each, IsolationTester, testing::Bool(), [](const auto& direct) {
    return std::string(direct.param ? "Directly" : "ThroughIsotap");
});

}  // namespace
}  // namespace isotap::test
