// The MySQL family: no alarm where the server keeps what it promises, however many clients contend;
// and alarms, as hazards only, at the levels that permit them.
//
// ISOTAP_SILENCE_SECONDS: how long each workload runs.
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/live_silence.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;
using testing::Contains;

/// One client of the accounts.
class Teller {
  public:
    Teller(std::uint16_t port, const std::string& level, unsigned seed)
        : wire_(Endpoint{.port = port}), random_(seed) {
        wire_.stream().set_patience(std::chrono::minutes(5));  // locks are waited for
        wire_.log_in();
        must("use shop");
        must("set session transaction isolation level " + level);
    }

    /// Moves money by values that it has read: wrong wherever an update may be lost. False when the
    /// server refused it.
    bool transfer() {
        const auto [from, to] = two_accounts();
        must("begin");
        const auto one = number("select balance from account where id = " + from);
        const auto other =
            one ? number("select balance from account where id = " + to) : std::nullopt;
        return end(other &&
                   good("update account set balance = " + std::to_string(*one - 3) +
                        " where id = " + from) &&
                   good("update account set balance = " + std::to_string(*other + 3) +
                        " where id = " + to));
    }

    /// Takes from one account by what it sees in both: wrong wherever writes may skew.
    bool withdraw() {
        const auto [from, other] = two_accounts();
        must("begin");
        const auto both =
            number("select sum(balance) from account where id in (" + from + ", " + other + ")");
        return end(both && good("update account set balance = balance + 1 - " +
                                std::to_string(*both % 3) + " where id = " + from));
    }

  private:
    std::pair<std::string, std::string> two_accounts() {
        std::uniform_int_distribution<int> any(1, silence_accounts);
        const int one = any(random_);
        return {std::to_string(one), std::to_string(one % silence_accounts + 1)};
    }
    bool good(const std::string& sql) { return wire_.query(sql).back().head() != 0xff; }
    void must(const std::string& sql) {
        if (!good(sql)) throw std::runtime_error("refused: " + sql);
    }
    bool end(bool well) {
        const bool done = well && good("commit");
        if (!done) must("rollback");
        return done;
    }
    /// The one number of the one row; nothing where the server refused.
    std::optional<int> number(const std::string& sql) {
        const auto reply = wire_.query(sql);
        if (reply.back().head() == 0xff) return std::nullopt;
        return std::stoi(reply.at(3).payload.substr(1));  // count, definition, its end, the row
    }

    MysqlWire wire_;
    std::mt19937 random_;
};

/// A server and a level.
using Case = std::tuple<MysqlFlavour, std::string>;

class LiveSilenceMysql : public testing::TestWithParam<Case> {
  protected:
    static void TearDownTestSuite() { servers_.clear(); }

    void SetUp() override {
        const MysqlFlavour flavour = std::get<0>(GetParam());
        if (!mysql_available(flavour)) GTEST_SKIP() << "no such server here";
        auto& started = servers_[flavour];
        if (!started) started = std::make_unique<MysqlServer>(MysqlOptions{.flavour = flavour});
        server_ = started.get();
    }

    static std::string level() { return std::get<1>(GetParam()); }
    static bool serializable() { return level() == "serializable"; }

    /// All clients at once at one kind of transaction, and what is told of them.
    json::value contend(bool (Teller::*one)()) {
        server_->sql(
            "use shop; drop table if exists account; "
            "create table account (id int primary key, balance int not null); "
            "insert into account with recursive s (n) as (select 1 union all select n + 1 from s "
            "where n < " +
            std::to_string(silence_accounts) + ") select n, " +
            std::to_string(silence_start_balance) + " from s");
        instrument();
        // Alone at first: plans are proved while nobody holds a lock.
        EXPECT_TRUE((Teller(isotap_->port(), level(), 0).*one)());
        const auto until = Clock::now() + silence_duration();
        std::vector<std::thread> threads;
        std::atomic<std::uint64_t> done = 0;
        for (unsigned i = 0; i < silence_clients; ++i) {
            threads.emplace_back([&, i] {
                Teller teller(isotap_->port(), level(), i);
                while (Clock::now() < until) done += (teller.*one)() ? 1 : 0;
            });
        }
        for (std::thread& thread : threads) thread.join();
        json::value told = isotap_->told();
        EXPECT_GE(number_in(told, "transactions", "committed"), done);
        return told;
    }

    /// Puts the columns on all tables that there are, and an isotap in front.
    void instrument() {
        run_or_throw({.arguments = {isotap_program(), "schema", "add", server_->url()}});
        isotap_ = std::make_unique<WatchedIsotap>(server_->url());
    }

    static std::map<MysqlFlavour, std::unique_ptr<MysqlServer>> servers_;
    MysqlServer* server_ = nullptr;
    std::unique_ptr<WatchedIsotap> isotap_;
};

std::map<MysqlFlavour, std::unique_ptr<MysqlServer>> LiveSilenceMysql::servers_;

TEST_P(LiveSilenceMysql, Transfers) {
    const json::value told = contend(&Teller::transfer);
    if (serializable()) {
        expect_silence(told);
        EXPECT_EQ(server_->sql("select sum(balance) from shop.account"),
                  std::to_string(silence_accounts * silence_start_balance) + "\n");
    } else {
        EXPECT_THAT(names_of_hazards(told), Contains("lost update"));
    }
}

TEST_P(LiveSilenceMysql, Withdrawals) {
    const json::value told = contend(&Teller::withdraw);
    if (serializable()) {
        expect_silence(told);
    } else {
        EXPECT_THAT(names_of_hazards(told), Contains("write skew"));
    }
}

TEST_P(LiveSilenceMysql, Sysbench) {
    // The client library of MariaDB may send many rows at once with what it has prepared: writes
    // that it prepares on a MariaDB are not captured.
    const bool prepares = std::get<0>(GetParam()) == MysqlFlavour::mysql;
    const auto at_port = [&](std::uint16_t port) {
        return Sysbench({"--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-user=tap",
                         "--mysql-db=shop", "--mysql-ignore-errors=1213,1205,1020,1062",
                         std::string("--db-ps-mode=") + (prepares ? "auto" : "disable"),
                         "--mysql-port=" + std::to_string(port)});
    };
    server_->sql("drop table if exists shop.sbtest1");
    at_port(server_->port()).prepare();
    instrument();
    at_port(isotap_->port()).run(level());
    const json::value told = isotap_->told();
    if (serializable()) {
        expect_silence(told);
    } else {
        names_of_hazards(told);
    }
    EXPECT_EQ(server_->sql("select count(*) from shop.sbtest1"),
              std::to_string(Sysbench::rows) + "\n");
}

INSTANTIATE_TEST_SUITE_P(Servers, LiveSilenceMysql,
                         testing::Combine(testing::Values(MysqlFlavour::mariadb,
                                                          MysqlFlavour::mysql),
                                          testing::Values("serializable", "repeatable read",
                                                          "read committed", "read uncommitted")),
                         [](const auto& instance) {
                             return testing::PrintToString(std::get<0>(instance.param)) + "_" +
                                    test_name(std::get<1>(instance.param));
                         });

}  // namespace
}  // namespace isotap::test
