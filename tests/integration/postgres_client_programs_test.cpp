// Programs and drivers that people use do through the proxy what they do with the server.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/node_packages.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

/// One server of a version and a proxy in each mode, for every test of a suite.
class Programs : public testing::TestWithParam<std::tuple<int, std::string>> {
  protected:
    struct Place {
        explicit Place(int version) : server({.version = version}) {}
        PostgresServer server;
        std::map<std::string, std::unique_ptr<IsotapProcess>> proxies;
    };

    void SetUp() override {
        const auto& [version, mode] = GetParam();
        if (!postgres_programs(version)) GTEST_SKIP() << "this version cannot be had here";
        auto& place = places()[version];
        if (!place) place = std::make_unique<Place>(version);
        auto& proxy = place->proxies[mode];
        if (!proxy) {
            proxy = std::make_unique<IsotapProcess>(place->server.url(),
                                                    std::vector<std::string>{"--mode", mode});
        }
        server_ = &place->server;
        proxy_ = proxy.get();
    }

    static void TearDownTestSuite() { places().clear(); }

    [[nodiscard]] std::uint16_t direct() const { return server_->port(); }
    [[nodiscard]] std::uint16_t through() const { return proxy_->port(); }

    static Command client(std::vector<std::string> arguments, std::uint16_t port,
                          const fs::path& folder = {}) {
        return {.arguments = std::move(arguments),
                .environment = {{"PGHOST", "127.0.0.1"},
                                {"PGPORT", std::to_string(port)},
                                {"PGUSER", "postgres"},
                                {"PGDATABASE", "postgres"}},
                .folder = folder};
    }

    /// Runs it directly and through the proxy: the same words, the same exit code, and that is 0.
    void expect_same(const std::vector<std::string>& arguments, const fs::path& folder = {}) const {
        const Finished expected = run(client(arguments, direct(), folder));
        const Finished seen = run(client(arguments, through(), folder));
        EXPECT_EQ(expected.exit_code, 0) << expected.output;
        EXPECT_EQ(seen.exit_code, expected.exit_code);
        // Not EXPECT_EQ: its search for the smallest difference takes minutes on long outputs.
        EXPECT_TRUE(seen.output == expected.output) << "directly:\n"
                                                    << beginning(expected.output) << "\nthrough:\n"
                                                    << beginning(seen.output);
    }

    /// A dump is fenced against injected commands by a word that is random each time.
    static std::string without_fences(std::string dump) {
        for (const std::string fence : {"\n\\restrict ", "\n\\unrestrict "}) {
            const std::size_t at = dump.find(fence);
            if (at != std::string::npos) dump.erase(at, dump.find('\n', at + 1) - at);
        }
        return dump;
    }

    static std::string beginning(const std::string& text) { return text.substr(0, 2'000); }

    PostgresServer* server_ = nullptr;

  private:
    static std::map<int, std::unique_ptr<Place>>& places() {
        static std::map<int, std::unique_ptr<Place>> all;
        return all;
    }

    IsotapProcess* proxy_ = nullptr;
};

TEST_P(Programs, PsqlCopiesInAndOut) {
    const TemporaryFolder folder;
    std::string rows;
    for (int i = 0; i < 20'000; ++i) {
        rows += std::to_string(i) + "\tsome text " + std::to_string(i * 7) + "\n";
    }
    write_file(folder.path() / "rows.txt", rows);
    write_file(folder.path() / "copy.sql",
               "\\set ON_ERROR_STOP on\n"
               "SET client_min_messages = warning;\n"
               "DROP TABLE IF EXISTS copied; CREATE TABLE copied(a int, b text);\n"
               "\\copy copied FROM 'rows.txt'\n"
               "\\copy (SELECT * FROM copied ORDER BY a) TO 'back.txt'\n"
               "\\copy copied TO STDOUT (FORMAT csv, HEADER)\n"
               "SELECT count(*), sum(a) FROM copied;\n"
               "\\d copied\n"
               "\\set FETCH_COUNT 100\n"
               "SELECT * FROM copied ORDER BY a LIMIT 1000;\n"
               "SELECT 1 AS one \\gdesc\n");
    expect_same({"psql", "-X", "-f", "copy.sql"}, folder.path());
    EXPECT_EQ(read_file(folder.path() / "back.txt"), rows);
}

TEST_P(Programs, PgbenchInEveryProtocol) {
    run_or_throw(client({"pgbench", "-i", "-q", "-s", "1"}, through()));
    for (const std::string protocol : {"simple", "extended", "prepared"}) {
        for (const std::vector<std::string>& script :
             {std::vector<std::string>{"-S", "-b", "simple-update"}, {"-b", "tpcb-like"}}) {
            std::vector<std::string> arguments{"pgbench", "-n", "-M", protocol, "-c",
                                               "4",       "-j", "2",  "-t",     "25"};
            arguments.insert(arguments.end(), script.begin(), script.end());
            const std::string output = run_or_throw(client(arguments, through()));
            EXPECT_NE(output.find("actually processed: 100/100"), std::string::npos) << output;
        }
    }
    EXPECT_EQ(server_->sql("SELECT sum(abalance) = (SELECT sum(delta) FROM pgbench_history) "
                           "FROM pgbench_accounts"),
              "t\n");
}

TEST_P(Programs, PgbenchPipeline) {
    const TemporaryFolder folder;
    write_file(
        folder.path() / "pipeline.sql",
        "\\startpipeline\nSELECT 1;\nSELECT 2;\nSELECT repeat('x', 10000);\n\\endpipeline\n");
    const std::string output = run_or_throw(
        client({"pgbench", "-n", "-M", "extended", "-c", "4", "-t", "50", "-f", "pipeline.sql"},
               through(), folder.path()));
    EXPECT_NE(output.find("actually processed: 200/200"), std::string::npos) << output;
}

TEST_P(Programs, DumpAndRestoreAreTheSame) {
    if (std::get<0>(GetParam()) > 15) {
        GTEST_SKIP() << "Debian's pg_dump 15 refuses newer servers, with or without a proxy";
    }
    server_->sql(
        "DROP DATABASE IF EXISTS original; DROP DATABASE IF EXISTS restored;"
        "CREATE DATABASE original; CREATE DATABASE restored;");
    const TemporaryFolder folder;
    run_or_throw(client({"pgbench", "-i", "-q", "-s", "1", "original"}, direct()));
    run_or_throw(client({"psql", "-X", "-q", "-d", "original", "-c",
                         "CREATE VIEW v AS SELECT aid FROM pgbench_accounts; "
                         "SELECT lo_from_bytea(4711, decode(repeat('ab', 100000), 'hex'))"},
                        direct()));
    const auto dump = [&](const std::string& database, std::uint16_t port) {
        return without_fences(run_or_throw(client({"pg_dump", "-d", database}, port)));
    };
    const std::string original = dump("original", direct());
    EXPECT_TRUE(dump("original", through()) == original) << "plain dumps differ";
    run_or_throw(
        client({"pg_dump", "-Fc", "-d", "original", "-f", "it.dump"}, through(), folder.path()));
    run_or_throw(
        client({"pg_restore", "-j", "2", "-d", "restored", "it.dump"}, through(), folder.path()));
    EXPECT_TRUE(dump("restored", direct()) == original) << "the restored database differs";
}

TEST_P(Programs, PsycopgDoesAsDirectly) {
    // Debian's own Python has the driver; another one in PATH may not.
    expect_same({"/usr/bin/python3", source_folder() / "tests/integration/postgres_psycopg2.py"});
}

TEST_P(Programs, NodeDoesAsDirectly) {
    static const NodePackages driver =
        node_packages("node-pg-8.13.1", {"pg@8.13.1", "pg-copy-streams@6.0.6", "pg-cursor@2.12.1"});
    if (driver.folder.empty()) GTEST_SKIP() << "SKIPPED: " << driver.why;
    // Node looks for modules beside the program.
    const fs::path program = driver.folder / "program.js";
    fs::copy_file(source_folder() / "tests/integration/postgres_node.js", program,
                  fs::copy_options::overwrite_existing);
    expect_same({"node", program});
}

INSTANTIATE_TEST_SUITE_P(Postgres, Programs,
                         testing::Combine(testing::Values(12, 15, 18),
                                          testing::Values("relay", "observe")),
                         [](const auto& place) {
                             return std::to_string(std::get<0>(place.param)) + "_" +
                                    std::get<1>(place.param);
                         });

}  // namespace
}  // namespace isotap::test
