// The MySQL family: no alarm where the server keeps what it promises, however many clients contend;
// and alarms, as hazards only, at the levels that permit them.
//
// ISOTAP_SILENCE_SECONDS: how long each workload runs.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr int accounts = 20;
constexpr int start_balance = 1'000;
constexpr int clients = 32;

std::chrono::seconds duration() {
    const char* asked = std::getenv("ISOTAP_SILENCE_SECONDS");
    return std::chrono::seconds(asked == nullptr ? 4 : std::atoi(asked));
}

/// One client that moves money by values that it has read: wrong wherever an update may be lost.
class Mover {
  public:
    Mover(std::uint16_t port, const std::string& level, unsigned seed)
        : wire_(Endpoint{.port = port}), random_(seed) {
        wire_.log_in();
        must("use shop");
        must("set session transaction isolation level " + level);
    }

    /// One transfer; false when the server refused it.
    bool move() {
        std::uniform_int_distribution<int> any(1, accounts);
        const int from = any(random_);
        const int to = from % accounts + 1;
        must("begin");
        const auto balance = [&](int id) {
            return number("select balance from account where id = " + std::to_string(id));
        };
        const auto one = balance(from);
        const auto other = one ? balance(to) : std::nullopt;
        const bool done = other && set(from, *one - 3) && set(to, *other + 3) && good("commit");
        if (!done) must("rollback");
        return done;
    }

  private:
    bool good(const std::string& sql) { return wire_.query(sql).back().head() != 0xff; }
    void must(const std::string& sql) {
        if (!good(sql)) throw std::runtime_error("refused: " + sql);
    }
    bool set(int id, int balance) {
        return good("update account set balance = " + std::to_string(balance) +
                    " where id = " + std::to_string(id));
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

class LiveSilenceMysql : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
        server_ = std::make_unique<MysqlServer>(MysqlOptions{.flavour = GetParam()});
        server_->sql(
            "use shop; create table account (id int primary key, balance int not null); "
            "insert into account with recursive s (n) as (select 1 union all select n + 1 from s "
            "where n < " +
            std::to_string(accounts) + ") select n, " + std::to_string(start_balance) + " from s");
        run_or_throw({.arguments = {isotap_program(), "schema", "add", server_->url()}});
        isotap_ = std::make_unique<IsotapProcess>(
            server_->url(),
            std::vector<std::string>{"--mode", "instrument", "--admin", "127.0.0.1:0",
                                     "--limits.plan-wait", "30s", "--on-overload", "block"});
    }

    /// What is told of 32 clients that contend, once all has been analysed.
    json::value contend(const std::string& level) {
        const auto until = Clock::now() + duration();
        std::vector<std::thread> threads;
        std::atomic<int> moved = 0;
        for (int i = 0; i < clients; ++i) {
            threads.emplace_back([&, i] {
                Mover mover(isotap_->port(), level, static_cast<unsigned>(i));
                while (Clock::now() < until) moved += mover.move() ? 1 : 0;
            });
        }
        for (std::thread& thread : threads) thread.join();
        EXPECT_GT(moved, clients);
        const auto patience = Clock::now() + std::chrono::seconds(30);
        json::value told;
        do {
            told = json::parse(isotap_->get("/api/anomalies"));
        } while (number(told, "committed") < static_cast<std::uint64_t>(moved) &&
                 Clock::now() < patience);
        std::cout << level << ": " << told.at("verdict").as_string() << ", "
                  << told.at("transactions") << ", " << told.at("anomalies").as_array().size()
                  << " anomalies, coverage " << told.at("coverage") << '\n';
        EXPECT_GE(number(told, "committed"), static_cast<std::uint64_t>(moved));
        EXPECT_EQ(told.at("coverage").at("full"), told.at("coverage").at("statements"));
        return told;
    }
    static std::uint64_t number(const json::value& told, const char* name) {
        return told.at("transactions").at(name).to_number<std::uint64_t>();
    }
    [[nodiscard]] int balance() const {
        return std::stoi(server_->sql("select sum(balance) from shop.account"));
    }

    std::unique_ptr<MysqlServer> server_;
    std::unique_ptr<IsotapProcess> isotap_;
};

TEST_P(LiveSilenceMysql, TransfersAtSerializable) {
    const json::value told = contend("serializable");
    EXPECT_TRUE(told.at("anomalies").as_array().empty()) << told.at("anomalies").at(0);
    EXPECT_EQ(told.at("verdict"), "clean") << told.at("doubts");
    EXPECT_EQ(balance(), accounts * start_balance);
}

TEST_P(LiveSilenceMysql, TransfersAtReadCommittedAreLost) {
    const json::value told = contend("read committed");
    std::vector<std::string> names;
    for (const json::value& anomaly : told.at("anomalies").as_array()) {
        EXPECT_EQ(anomaly.at("severity"), "hazard") << anomaly;
        names.emplace_back(anomaly.at("name").as_string());
    }
    EXPECT_THAT(names, testing::Contains("lost update"));
}

INSTANTIATE_TEST_SUITE_P(Servers, LiveSilenceMysql,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
