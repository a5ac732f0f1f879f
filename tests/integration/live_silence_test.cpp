// No alarm where the server keeps what it promises, however many clients contend; and alarms, as
// hazards only, at the levels that permit them.
//
// ISOTAP_SILENCE_SECONDS: how long each workload runs.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;

int seconds() {
    const char* asked = std::getenv("ISOTAP_SILENCE_SECONDS");
    return asked == nullptr ? 4 : std::atoi(asked);
}

constexpr int clients = 32;
constexpr int accounts = 20;
constexpr int start_balance = 1'000;

/// Money moves between accounts by values that the client has read: wrong wherever an update may be
/// lost.
constexpr const char* transfer = R"(
\set a random(1, 20)
\set b 1 + (:a + random(0, 18)) % 20
\set amount random(1, 10)
BEGIN;
SELECT balance FROM account WHERE id = :a \gset from_
SELECT balance FROM account WHERE id = :b \gset to_
UPDATE account SET balance = :from_balance::int - :amount::int WHERE id = :a;
UPDATE account SET balance = :to_balance::int + :amount::int WHERE id = :b;
END;
)";

/// Whoever sees enough in both accounts takes it from one: wrong wherever writes may skew.
constexpr const char* withdrawal = R"(
\set a random(1, 20)
\set b 1 + (:a + random(0, 18)) % 20
BEGIN;
SELECT sum(balance) AS sum FROM account WHERE id IN (:a, :b) \gset both_
UPDATE account SET balance = balance + 1 - :both_sum % 3 WHERE id = :a;
END;
)";

class LiveSilence : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        server_ = std::make_unique<PostgresServer>(
            PostgresOptions{.version = 15, .settings = {"deadlock_timeout=10ms"}});
        run_or_throw(
            {.arguments = {server_->programs() / "pgbench", "-i", "-q", "-h", server_->folder(),
                           "-p", std::to_string(server_->port()), "-U", "postgres", "postgres"}});
        server_->sql("create table account (id int primary key, balance int not null)");
    }
    static void TearDownTestSuite() { server_.reset(); }

    void SetUp() override {
        server_->sql("truncate account; insert into account select i, " +
                     std::to_string(start_balance) + " from generate_series(1, " +
                     std::to_string(accounts) + ") i");
    }

    /// 32 clients of pgbench behind `isotap exec`; its report.
    json::value contend(const std::string& level, const std::string& script,
                        const std::string& protocol) {
        const std::filesystem::path report = folder_.path() / "report.json";
        const std::filesystem::path file = folder_.path() / "script.sql";
        std::vector<std::string> words{isotap_program(),
                                       "exec",
                                       "--upstream",
                                       server_->url(),
                                       "--json",
                                       report,
                                       "--fail-on",
                                       "hazard",
                                       "--",
                                       server_->programs() / "pgbench",
                                       "-n",
                                       "-c",
                                       std::to_string(clients),
                                       "-j",
                                       "2",
                                       "-M",
                                       protocol,
                                       "--max-tries=1000",
                                       "-T",
                                       std::to_string(seconds())};
        if (!script.empty()) {
            write_file(file, script);
            words.insert(words.end(), {"-f", file});
        }
        const Finished finished =
            run({.arguments = words,
                 .environment = {{"PGOPTIONS", "-c default_transaction_isolation=" + level}}},
                std::chrono::seconds(seconds() + 60));
        EXPECT_TRUE(finished.exit_code == 0 || finished.exit_code == 1) << finished.output;
        EXPECT_LE(given_up(finished.output), clients);
        const json::value told = json::parse(read_file(report));
        std::cout << level << ": " << told.at("verdict").as_string() << ", "
                  << told.at("transactions") << ", " << told.at("anomalies").as_array().size()
                  << " anomalies, coverage " << told.at("coverage") << '\n';
        EXPECT_GT(number(told, "transactions", "committed"), 20U);
        EXPECT_GT(number(told, "coverage", "full"), number(told, "coverage", "statements") / 2);
        return told;
    }
    /// pgbench tries none again when the time is up: each client may have been about to.
    static int given_up(const std::string& output) {
        const std::string words = "number of failed transactions: ";
        const std::size_t at = output.find(words);
        EXPECT_NE(at, std::string::npos) << output;
        return at == std::string::npos ? 0 : std::stoi(output.substr(at + words.size()));
    }
    static std::uint64_t number(const json::value& told, const char* group, const char* name) {
        return told.at(group).at(name).to_number<std::uint64_t>();
    }
    static void expect_silence(const json::value& told) {
        const auto& anomalies = told.at("anomalies").as_array();
        EXPECT_TRUE(anomalies.empty()) << anomalies.front();
    }
    /// Names of what was found; each of them permitted at that level.
    static std::vector<std::string> hazards(const json::value& told) {
        std::vector<std::string> names;
        for (const json::value& anomaly : told.at("anomalies").as_array()) {
            EXPECT_EQ(anomaly.at("severity").as_string(), "hazard") << anomaly;
            names.emplace_back(anomaly.at("name").as_string());
        }
        return names;
    }
    static int balance() { return std::stoi(server_->sql("select sum(balance) from account")); }

    static std::unique_ptr<PostgresServer> server_;
    TemporaryFolder folder_;
};

std::unique_ptr<PostgresServer> LiveSilence::server_;

TEST_F(LiveSilence, TpcbAtSerializable) {
    expect_silence(contend("serializable", "", "simple"));
    EXPECT_EQ(server_->sql("select sum(abalance) - (select sum(bbalance) from pgbench_branches) "
                           "from pgbench_accounts"),
              "0\n");
}

TEST_F(LiveSilence, TransfersAtSerializable) {
    expect_silence(contend("serializable", transfer, "prepared"));
    EXPECT_EQ(balance(), accounts * start_balance);
}

TEST_F(LiveSilence, WithdrawalsAtSerializable) {
    expect_silence(contend("serializable", withdrawal, "simple"));
}

TEST_F(LiveSilence, TransfersAtRepeatableReadAreNeverLost) {
    for (const std::string& name : hazards(contend("repeatable\\ read", transfer, "simple"))) {
        EXPECT_EQ(name, "write skew");
    }
    EXPECT_EQ(balance(), accounts * start_balance);
}

TEST_F(LiveSilence, WithdrawalsAtRepeatableReadSkew) {
    const auto names = hazards(contend("repeatable\\ read", withdrawal, "prepared"));
    EXPECT_THAT(names, testing::Contains("write skew"));
    EXPECT_THAT(names, testing::Not(testing::Contains("lost update")));
}

TEST_F(LiveSilence, TransfersAtReadCommittedAreLost) {
    EXPECT_THAT(hazards(contend("read\\ committed", transfer, "prepared")),
                testing::Contains("lost update"));
}

}  // namespace
}  // namespace isotap::test
