// PostgreSQL's own regression suite has the same passes and failures through the proxy as directly.
//
// The suite is that of version 15, whose source package Debian has. Servers of other versions say
// other things to some of it, and cannot load its library; what counts is that they say the same
// through the proxy.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

using Verdicts = std::map<std::string, std::string>;

constexpr long tests_min = 180;

constexpr std::chrono::minutes patience{15};

/// The suite is that of 15. On other versions much of it fails, and what fails leaves to its
/// neighbours what they do not expect: one test at a time, or they end in another way each time.
struct Expected {
    int version;
    int at_once;
    long passes_min;                    ///< a suite that fails anyway shows nothing
    std::vector<std::string> left_out;  ///< that server dies of them
};

const Expected versions[] = {
    {15, 20, 180, {}}, {18, 1, 90, {}}, {12, 1, 50, {"arrays", "triggers", "tsearch"}}};

const std::vector<std::string> modes{"relay", "observe"};

Verdicts verdicts_in(const std::string& output) {
    static const std::regex line_pattern(R"(^(?:test)?\s+(\S+)\s+\.\.\. (ok|FAILED|failed))");
    Verdicts verdicts;
    std::istringstream lines(output);
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
        if (std::regex_search(line, match, line_pattern)) verdicts[match[1]] = match[2];
    }
    return verdicts;
}

class PostgresRegression : public testing::TestWithParam<Expected> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam().version)) GTEST_SKIP() << "SKIPPED: no such server here";
        const Finished asked =
            run({.arguments = {"python3", source_folder() / "tests/integration/postgres_source.py",
                               "regress", cache_folder()}},
                std::chrono::minutes(6));
        if (asked.exit_code != 0) GTEST_SKIP() << "SKIPPED: " << asked.output;
        const std::size_t newline = asked.output.find_last_of('\n', asked.output.size() - 2);
        inputs_ = asked.output.substr(newline == std::string::npos ? 0 : newline + 1);
        inputs_ = inputs_.string().substr(0, inputs_.string().find('\n'));
        for (const char* name : {"refint.so", "autoinc.so"}) {
            fs::create_symlink(fs::path("/usr/lib/postgresql/15/lib") / name,
                               scratch_.path() / name);
        }
        fs::create_symlink(inputs_ / "regress.so", scratch_.path() / "regress.so");
        std::string schedule = read_file(inputs_ / "parallel_schedule");
        for (const std::string& name : GetParam().left_out) {
            schedule = std::regex_replace(schedule, std::regex(" " + name + "\\b"), "");
        }
        write_file(scratch_.path() / "schedule", schedule);
    }

    /// The whole suite on a new server; an empty mode means without the proxy.
    Verdicts run_suite(const std::string& mode) {
        PostgresServer server({.version = GetParam().version,
                               .settings = {"wal_level=replica", "max_prepared_transactions=2"}});
        std::unique_ptr<IsotapProcess> proxy;
        if (!mode.empty()) {
            proxy = std::make_unique<IsotapProcess>(server.url(),
                                                    std::vector<std::string>{"--mode", mode});
        }
        const TemporaryFolder outputs(user_);
        const std::uint16_t port = proxy ? proxy->port() : server.port();
        const Finished suite = run(
            {.arguments = {"/usr/lib/postgresql/15/lib/pgxs/src/test/regress/pg_regress",
                           "--bindir=/usr/lib/postgresql/15/bin",
                           "--dlpath=" + scratch_.path().string(), "--inputdir=" + inputs_.string(),
                           "--outputdir=" + outputs.path().string(), "--host=127.0.0.1",
                           "--port=" + std::to_string(port), "--user=postgres",
                           "--dbname=regression", "--max-concurrent-tests=20",
                           "--max-connections=" + std::to_string(GetParam().at_once),
                           "--schedule=" + (scratch_.path() / "schedule").string()},
             .run_as = user_,
             .folder = outputs.path()},
            patience);
        const Verdicts verdicts = verdicts_in(suite.output);
        EXPECT_GE(std::ssize(verdicts), tests_min) << suite.output;
        if (fs::exists(outputs.path() / "regression.diffs")) {
            differences_ = read_file(outputs.path() / "regression.diffs").substr(0, 8'000);
        }
        return verdicts;
    }

    /// Those of `some` that `others` lacks, or has another verdict of.
    static Verdicts those_unlike(const Verdicts& some, const Verdicts& others) {
        Verdicts different;
        for (const auto& [name, verdict] : some) {
            const auto found = others.find(name);
            if (found == others.end() || found->second != verdict) different[name] = verdict;
        }
        return different;
    }

    std::string differences_;

  private:
    std::optional<User> user_ = unprivileged_user();
    TemporaryFolder scratch_{user_};
    fs::path inputs_;
};

TEST_P(PostgresRegression, IsTheSameInBothModes) {
    const Verdicts direct = run_suite("");
    const auto passed = std::count_if(direct.begin(), direct.end(),
                                      [](const auto& test) { return test.second == "ok"; });
    std::cout << GetParam().version << ": " << passed << " of " << direct.size()
              << " pass directly\n";
    EXPECT_GE(passed, GetParam().passes_min) << differences_;
    for (const std::string& mode : modes) {
        EXPECT_EQ(those_unlike(direct, run_suite(mode)), Verdicts{}) << mode << differences_;
    }
}

INSTANTIATE_TEST_SUITE_P(Version, PostgresRegression, testing::ValuesIn(versions),
                         [](const auto& test) { return std::to_string(test.param.version); });

}  // namespace
}  // namespace isotap::test
