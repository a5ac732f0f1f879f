// No alarm where the server keeps what it promises, however many clients contend; and alarms, as
// hazards only, at the levels that permit them.
//
// ISOTAP_SILENCE_SECONDS: how long each workload runs.
#include "tests/integration/live_silence.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;
using testing::Contains;
using testing::Not;

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

/// At a level, by the protocol of pgbench that is named.
using Case = std::tuple<std::string, std::string>;

class LiveSilence : public testing::TestWithParam<Case> {
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
                     std::to_string(silence_start_balance) + " from generate_series(1, " +
                     std::to_string(silence_accounts) + ") i");
        isotap_ = std::make_unique<WatchedIsotap>(server_->url());
    }

    static std::string level() { return std::get<0>(GetParam()); }
    static bool serializable() { return level() == "serializable"; }
    static bool committed_only() { return level() == "read committed"; }

    /// 32 clients of pgbench, and what is told of them.
    json::value contend(const std::string& script) {
        const std::filesystem::path file = folder_.path() / "script.sql";
        std::string at = level();
        if (const std::size_t space = at.find(' '); space != std::string::npos) {
            at.insert(space, "\\");
        }
        std::vector<std::string> words{server_->programs() / "pgbench",
                                       "-n",
                                       "-h",
                                       "127.0.0.1",
                                       "-p",
                                       std::to_string(isotap_->port()),
                                       "-U",
                                       "postgres",
                                       "-c",
                                       std::to_string(silence_clients),
                                       "-j",
                                       "2",
                                       "-M",
                                       std::get<1>(GetParam()),
                                       "--max-tries=1000",
                                       "-T",
                                       std::to_string(silence_duration().count())};
        if (!script.empty()) {
            write_file(file, script);
            words.insert(words.end(), {"-f", file});
        }
        words.emplace_back("postgres");
        const std::string output =
            run_or_throw({.arguments = words,
                          .environment = {{"PGOPTIONS", "-c default_transaction_isolation=" + at}}},
                         silence_duration() + std::chrono::seconds(120));
        EXPECT_LE(given_up(output), silence_clients);
        return isotap_->told();
    }
    /// pgbench tries none again when the time is up: each client may have been about to.
    static int given_up(const std::string& output) {
        const std::string words = "number of failed transactions: ";
        const std::size_t at = output.find(words);
        EXPECT_NE(at, std::string::npos) << output;
        return at == std::string::npos ? 0 : std::stoi(output.substr(at + words.size()));
    }
    static int balance() { return std::stoi(server_->sql("select sum(balance) from account")); }

    static std::unique_ptr<PostgresServer> server_;
    std::unique_ptr<WatchedIsotap> isotap_;
    TemporaryFolder folder_;
};

std::unique_ptr<PostgresServer> LiveSilence::server_;

/// Its updates go by the current row, and its only read is of what it wrote: silent at every level.
TEST_P(LiveSilence, Tpcb) {
    expect_silence(contend(""));
    EXPECT_EQ(server_->sql("select sum(abalance) - (select sum(bbalance) from pgbench_branches) "
                           "from pgbench_accounts"),
              "0\n");
}

TEST_P(LiveSilence, Transfers) {
    const json::value told = contend(transfer);
    if (committed_only()) {
        EXPECT_THAT(names_of_hazards(told), Contains("lost update"));
        return;
    }
    EXPECT_EQ(balance(), silence_accounts * silence_start_balance);
    if (serializable()) {
        expect_silence(told);
    } else {
        EXPECT_THAT(names_of_hazards(told), testing::Each("write skew"));
    }
}

TEST_P(LiveSilence, Withdrawals) {
    const json::value told = contend(withdrawal);
    if (serializable()) {
        expect_silence(told);
    } else if (committed_only()) {
        EXPECT_THAT(names_of_hazards(told), Contains("lost update"));
    } else {
        EXPECT_THAT(names_of_hazards(told),
                    testing::AllOf(Contains("write skew"), Not(Contains("lost update"))));
    }
}

TEST_P(LiveSilence, Sysbench) {
    const auto at_port = [](std::uint16_t port) {
        return Sysbench({"--db-driver=pgsql", "--pgsql-host=127.0.0.1", "--pgsql-user=postgres",
                         "--pgsql-db=postgres", "--pgsql-port=" + std::to_string(port)});
    };
    server_->sql("drop table if exists sbtest1");
    at_port(server_->port()).prepare();
    at_port(isotap_->port()).run(level());
    const json::value told = isotap_->told();
    if (serializable()) {
        expect_silence(told);
    } else {
        names_of_hazards(told);
    }
    EXPECT_EQ(server_->sql("select count(*) from sbtest1"), std::to_string(Sysbench::rows) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Levels, LiveSilence,
                         testing::Values(Case{"serializable", "prepared"},
                                         Case{"repeatable read", "simple"},
                                         Case{"read committed", "extended"}),
                         [](const auto& instance) {
                             return test_name(std::get<0>(instance.param));
                         });

}  // namespace
}  // namespace isotap::test
