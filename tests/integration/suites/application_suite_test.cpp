// The test suites of real applications end, test by test, through an isotap that captures their
// statements as they end without it, and so they do under `isotap exec`; and how much of what they
// send is captured.
//
// ISOTAP_WHOLE_SUITES=1 runs more of them.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/suites/application_suites.hpp"
#include "tests/integration/suites/suite_outcome.hpp"
#include "tests/integration/suites/suite_source.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

bool whole() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets it
    return std::getenv("ISOTAP_WHOLE_SUITES") != nullptr;
}

/// A new server each time: what one run leaves behind is nothing to another.
class FreshServer {
  public:
    explicit FreshServer(const ApplicationSuite& suite) {
        if (suite.server == SuiteServer::postgres) {
            postgres_ =
                std::make_unique<PostgresServer>(PostgresOptions{.settings = suite.settings});
            postgres_->sql(suite.setup);
            return;
        }
        mysql_ = std::make_unique<MysqlServer>(
            MysqlOptions{.flavour = suite.server == SuiteServer::mysql ? MysqlFlavour::mysql
                                                                       : MysqlFlavour::mariadb,
                         .settings = suite.settings});
        if (!suite.setup.empty()) mysql_->sql(suite.setup);
    }

    [[nodiscard]] std::string url() const { return postgres_ ? postgres_->url() : mysql_->url(); }
    [[nodiscard]] std::uint16_t port() const {
        return postgres_ ? postgres_->port() : mysql_->port();
    }

  private:
    std::unique_ptr<PostgresServer> postgres_;
    std::unique_ptr<MysqlServer> mysql_;
};

class ApplicationSuites : public testing::TestWithParam<ApplicationSuite> {
  protected:
    void SetUp() override {
        if (GetParam().server == SuiteServer::mysql && !mysql_available(MysqlFlavour::mysql)) {
            GTEST_SKIP() << "no such server here";
        }
        source_ = source_of_suite(GetParam().source);
        if (source_.empty()) GTEST_SKIP() << "no suite here";
    }

    [[nodiscard]] Words labels() const {
        Words all = GetParam().labels;
        if (whole()) {
            all.insert(all.end(), GetParam().more_labels.begin(), GetParam().more_labels.end());
        }
        return all;
    }

    /// The suite's program on this port.
    [[nodiscard]] Words program(const std::string& port, const Words& labels) const {
        Words words = GetParam().command;
        for (std::string& word : words) {
            word = word == "{port}" ? port : word == "{source}" ? source_.string() : word;
        }
        words.insert(words.end(), labels.begin(), labels.end());
        return words;
    }

    Finished run_words(Words words) {
        Finished finished =
            run({.arguments = std::move(words), .environment = {{"PYTHONHASHSEED", "0"}}},
                std::chrono::minutes(whole() ? 30 : 6));
        output_ = finished.output;
        return finished;
    }

    Verdicts run_directly() {
        const FreshServer server(GetParam());
        return verdicts_in(run_words(program(std::to_string(server.port()), labels())).output);
    }

    Verdicts run_through_proxy() {
        const FreshServer server(GetParam());
        const TemporaryFolder folder;
        const fs::path recording = folder.path() / "suite.isotap";
        Words options{"--mode",  "instrument",    "--admin", "127.0.0.1:0",        "--record",
                      recording, "--on-overload", "block",   "--limits.plan-wait", "5s"};
        if (GetParam().server != SuiteServer::postgres) {
            options.insert(options.end(), {"--schema", "auto"});
        }
        IsotapProcess isotap(server.url(), options);
        const Finished finished = run_words(program(std::to_string(isotap.port()), labels()));
        look_at(isotap);
        EXPECT_EQ(isotap.stop(), 0);
        // What it says to people would stand within what it says to programs.
        look_at_coverage(
            run({.arguments = {"sh", "-c", "exec \"$0\" check \"$1\" --json 2>/dev/null",
                               isotap_program(), recording}})
                .output);
        return verdicts_in(finished.output);
    }

    Verdicts run_under_exec() {
        const FreshServer server(GetParam());
        const TemporaryFolder folder;
        const fs::path report = folder.path() / "suite.json";
        Words words{isotap_program(), "exec", "--upstream", server.url(), "--json", report, "--"};
        const Words suite = program("{port}", GetParam().labels);
        words.insert(words.end(), suite.begin(), suite.end());
        const Finished finished = run_words(words);
        EXPECT_EQ(finished.exit_code, 0) << "that of the suite, and no violation";
        EXPECT_THAT(finished.output, testing::HasSubstr("verdict: "));
        EXPECT_THAT(finished.output, testing::HasSubstr("transactions committed"));
        EXPECT_THAT(finished.output, testing::Not(testing::HasSubstr("lent")));
        look_at_coverage(read_file(report));
        return verdicts_in(finished.output);
    }

    /// Nothing was passed by in silence.
    static void look_at(IsotapProcess& isotap) {
        const auto metrics = isotap.metrics();
        for (const char* note : {"unknown_message", "desynchronised", "fuse"}) {
            EXPECT_EQ(metrics.at("isotap_notes_total{note=\"" + std::string(note) + "\"}"), 0)
                << note << '\n'
                << isotap.log();
        }
    }

    /// What was not captured has a reason.
    static void look_at_coverage(const std::string& report) {
        const SuiteCoverage coverage = coverage_in(report, GetParam().name);
        EXPECT_GT(coverage.statements, 0);
        EXPECT_GE(coverage.full, GetParam().captured_min * coverage.statements);
    }

    fs::path source_;
    std::string output_;
};

TEST_P(ApplicationSuites, EndInTheSameWay) {
    const Verdicts direct = run_directly();
    std::cout << GetParam().name << ": " << passed_in(direct) << " of " << direct.size()
              << " tests pass without isotap\n";
    ASSERT_GE(passed_in(direct), GetParam().passes_min) << output_;
    const std::string different = differences(direct, run_through_proxy());
    EXPECT_EQ(different, "") << output_;
    if (GetParam().under_exec) {
        const Verdicts some = verdicts_of(direct, GetParam().labels);
        EXPECT_FALSE(some.empty());
        const std::string different_there = differences(some, run_under_exec());
        EXPECT_EQ(different_there, "") << output_;
    }
}

INSTANTIATE_TEST_SUITE_P(On, ApplicationSuites, testing::ValuesIn(application_suites()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace isotap::test
