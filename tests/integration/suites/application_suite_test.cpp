// The test suites of real applications end, test by test, through an isotap that captures their
// statements as they end without it; and how much of what they send is captured.
//
// ISOTAP_WHOLE_SUITES=1 runs more of them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;
using Verdicts = std::map<std::string, std::string>;

struct ApplicationSuite {
    std::string name;
    std::string interpreter;
    std::string runner;   ///< in this folder; gets port, folder of the source, and `labels`
    Words labels{};       ///< what is run
    Words more_labels{};  ///< what the whole suite adds
    std::string databases{};
    Words settings{};  ///< of the server
    std::size_t passes_min = 0;
    /// Share of the statements that are captured in full, of those that are no TRUNCATE: decision
    /// 0010.
    double captured_min = 0;

    friend void PrintTo(const ApplicationSuite& suite, std::ostream* out) { *out << suite.name; }
};

bool whole() {
    return std::getenv("ISOTAP_WHOLE_SUITES") != nullptr;
}

fs::path here(const std::string& file) {
    return source_folder() / "tests/integration/suites" / file;
}

/// Empty, with the reason on stderr, where the suite cannot be had.
fs::path source_of(const std::string& name) {
    const Finished asked =
        run({.arguments = {"/usr/bin/python3", here("suite_source.py"), name, cache_folder()}},
            std::chrono::minutes(6));
    std::istringstream lines(asked.output);
    fs::path folder;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('/')) folder = line;
    }
    if (asked.exit_code != 0 || folder.empty()) {
        std::cerr << "SKIPPED: " << asked.output;
        return {};
    }
    return folder;
}

Verdicts verdicts_in(const std::string& output) {
    constexpr std::string_view mark = "verdict: ";
    Verdicts verdicts;
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(mark)) continue;
        const std::size_t space = line.find(' ', mark.size());
        verdicts[line.substr(mark.size(), space - mark.size())] = line.substr(space + 1);
    }
    return verdicts;
}

/// What only one of them says, or says otherwise.
std::string differences(const Verdicts& direct, const Verdicts& through) {
    std::string text;
    for (const auto& [test, verdict] : direct) {
        const auto found = through.find(test);
        const std::string other = found == through.end() ? "missing" : found->second;
        if (other != verdict) text += test + ": " + verdict + ", through isotap: " + other + "\n";
    }
    for (const auto& [test, verdict] : through) {
        if (!direct.contains(test)) text += test + ": only through isotap: " + verdict + "\n";
    }
    return text;
}

class ApplicationSuites : public testing::TestWithParam<ApplicationSuite> {
  protected:
    /// A new server each time: what one run leaves behind is nothing to another.
    Verdicts run_suite(const fs::path& source, bool instrumented) {
        const ApplicationSuite& suite = GetParam();
        PostgresServer server({.settings = suite.settings});
        if (!suite.databases.empty()) server.sql(suite.databases);
        const TemporaryFolder folder;
        const fs::path recording = folder.path() / "suite.isotap";
        std::unique_ptr<IsotapProcess> isotap;
        if (instrumented) {
            isotap = std::make_unique<IsotapProcess>(
                server.url(),
                Words{"--mode", "instrument", "--admin", "127.0.0.1:0", "--record", recording,
                      "--on-overload", "block", "--limits.plan-wait", "5s"});
        }
        const std::uint16_t port = isotap ? isotap->port() : server.port();
        Words arguments{suite.interpreter, here(suite.runner), std::to_string(port), source};
        arguments.insert(arguments.end(), suite.labels.begin(), suite.labels.end());
        if (whole()) {
            arguments.insert(arguments.end(), suite.more_labels.begin(), suite.more_labels.end());
        }
        const Finished finished =
            run({.arguments = std::move(arguments), .environment = {{"PYTHONHASHSEED", "0"}}},
                std::chrono::minutes(whole() ? 30 : 4));
        output_ = finished.output;
        if (isotap) {
            look_at(*isotap);
            EXPECT_EQ(isotap->stop(), 0);
            look_at(recording);
        }
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
    static void look_at(const fs::path& recording) {
        // What it says to people would stand within what it says to programs.
        const Finished checked =
            run({.arguments = {"sh", "-c", "exec \"$0\" check \"$1\" --json 2>/dev/null",
                               isotap_program(), recording}});
        const std::string& document = checked.output;
        const boost::json::value coverage = boost::json::parse(document).at("coverage");
        const auto count = [&](const char* name) { return coverage.at(name).to_number<double>(); };
        std::cout << GetParam().name << ": " << coverage.at("statements")
                  << " data statements, captured in full " << count("full") << ", partly "
                  << count("partial") << ", not " << count("opaque") << '\n';
        double truncates = 0;
        for (const boost::json::value& reason : coverage.at("reasons").as_array()) {
            truncates +=
                reason.at("reason") == "truncate" ? reason.at("count").to_number<double>() : 0;
            std::cout << "  " << reason.at("count") << ' ' << reason.at("reason") << ": "
                      << reason.at("example") << '\n';
        }
        EXPECT_GE(count("full"), GetParam().captured_min * (count("statements") - truncates));
    }

    std::string output_;
};

TEST_P(ApplicationSuites, EndInTheSameWay) {
    const fs::path source = source_of(GetParam().name);
    if (source.empty()) GTEST_SKIP() << "no suite here";
    const Verdicts direct = run_suite(source, false);
    const auto passed =
        static_cast<std::size_t>(std::count_if(direct.begin(), direct.end(), [](const auto& test) {
            return test.second.starts_with("passed");
        }));
    std::cout << GetParam().name << ": " << passed << " of " << direct.size()
              << " tests pass without isotap\n";
    ASSERT_GE(passed, GetParam().passes_min) << output_;
    const Verdicts through = run_suite(source, true);
    const std::string different = differences(direct, through);
    EXPECT_EQ(different, "") << output_;
}

const ApplicationSuite psycopg2{
    .name = "psycopg2",
    .interpreter = "/usr/bin/python3",
    .runner = "psycopg2_suite.py",
    .databases =
        "create database psycopg2_test;\n"
        "\\connect psycopg2_test\n"
        "create extension hstore",
    .settings = {"max_prepared_transactions=10"},
    .passes_min = 700,
    .captured_min = 0.98,
};

const ApplicationSuite django{
    .name = "django",
    .interpreter = "/usr/bin/python3",
    .runner = "django_suite.py",
    .labels = {"backends", "transactions", "queries", "expressions", "select_for_update"},
    .more_labels = {"aggregation",
                    "aggregation_regress",
                    "annotations",
                    "basic",
                    "bulk_create",
                    "constraints",
                    "custom_managers",
                    "custom_pk",
                    "dates",
                    "datetimes",
                    "db_functions",
                    "defer",
                    "delete",
                    "delete_regress",
                    "distinct_on_fields",
                    "expressions_case",
                    "expressions_window",
                    "extra_regress",
                    "filtered_relation",
                    "fixtures",
                    "force_insert_update",
                    "generic_relations",
                    "get_earliest_or_latest",
                    "get_or_create",
                    "known_related_objects",
                    "lookup",
                    "m2m_through",
                    "many_to_many",
                    "many_to_one",
                    "model_inheritance",
                    "null_fk",
                    "one_to_one",
                    "or_lookups",
                    "ordering",
                    "postgres_tests",
                    "prefetch_related",
                    "proxy_models",
                    "queryset_pickle",
                    "raw_query",
                    "reserved_names",
                    "reverse_lookup",
                    "save_delete_hooks",
                    "select_related",
                    "serializers",
                    "timezones",
                    "transaction_hooks",
                    "update",
                    "update_only_fields",
                    "schema",
                    "migrations",
                    "introspection",
                    "inspectdb"},
    .databases = "create database django; create database other",
    .passes_min = 800,
    .captured_min = 0.95,
};

const ApplicationSuite knex{
    .name = "knex",
    .interpreter = "node",
    .runner = "knex_suite.js",
    .databases = "create database knex",
    .passes_min = 16,
    .captured_min = 0.9,
};

INSTANTIATE_TEST_SUITE_P(On, ApplicationSuites, testing::Values(psycopg2, django, knex),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace isotap::test
