// From the wire to the verdict on the MySQL family: plain clients behind `isotap proxy --mode
// instrument`. What the admin interface tells, what was recorded and what `isotap check` makes of
// the recording is the same.
#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

constexpr std::chrono::seconds patience{20};

class LiveAnomaliesMysql : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "this server cannot be had here";
        server_ = std::make_unique<MysqlServer>(MysqlOptions{.flavour = GetParam()});
        server_->sql(
            "use shop; create table account (id int primary key, balance int not null); "
            "insert into account values (1, 100), (2, 100), (3, 100), (4, 100)");
        run_or_throw({.arguments = {isotap_program(), "schema", "add", server_->url()}});
        // Every statement is to be captured, however busy the machine is.
        isotap_ = std::make_unique<IsotapProcess>(
            server_->url(),
            std::vector<std::string>{"--mode", "instrument", "--record", file_, "--admin",
                                     "127.0.0.1:0", "--limits.plan-wait", "30s"});
        one_ = connect();
        other_ = connect();
    }

    static void run(MysqlWire& client, std::string_view sql) {
        const MysqlPacket last = client.query(sql).back();
        ASSERT_NE(last.head(), 0xff) << sql << ": " << last.payload;
    }

    /// Both begin a transaction at this level.
    void begin(std::string_view level) {
        for (MysqlWire* client : {one_.get(), other_.get()}) {
            run(*client, "set session transaction isolation level " + std::string(level));
            run(*client, "begin");
            ++settings_;
        }
    }

    void read_before_one_updates() {
        run(*one_, "select balance from account where id = 1");
        run(*other_, "select balance from account where id = 1");
        run(*one_, "update account set balance = 90 where id = 1");
        run(*one_, "commit");
    }

    /// What is told live once `transactions` have ended, whether or not anybody says more.
    json::value told(std::uint64_t transactions) {
        transactions += settings_;
        const auto deadline = std::chrono::steady_clock::now() + patience;
        for (;;) {
            json::value answer = json::parse(isotap_->get("/api/anomalies"));
            std::uint64_t ended = 0;
            for (const auto& [outcome, count] : answer.at("transactions").as_object()) {
                ended += count.to_number<std::uint64_t>();
            }
            if (ended >= transactions || std::chrono::steady_clock::now() > deadline) {
                EXPECT_EQ(ended, transactions) << answer;
                return answer;
            }
        }
    }

    /// What all who can be asked say that was found, once `transactions` have ended.
    Names found(std::uint64_t transactions) {
        const json::value live = told(transactions);
        EXPECT_EQ(live.at("coverage").at("statements"), live.at("coverage").at("full")) << live;
        one_.reset();
        other_.reset();
        EXPECT_EQ(isotap_->stop(), 0);
        const Finished checked =
            test::run({.arguments = {isotap_program(), "check", "--json", file_}});
        EXPECT_EQ(checked.exit_code, 0) << checked.output;
        const json::value recorded = json::parse(checked.output);
        EXPECT_EQ(names(recorded), names(live));
        EXPECT_EQ(recorded.at("verdict"), live.at("verdict"));
        return names(live);
    }

    std::unique_ptr<MysqlWire> connect() {
        auto client = std::make_unique<MysqlWire>(Endpoint{.port = isotap_->port()});
        client->log_in();
        client->query("use shop");
        ++settings_;
        return client;
    }

    std::unique_ptr<MysqlServer> server_;
    std::unique_ptr<MysqlWire> one_;
    std::unique_ptr<MysqlWire> other_;

  private:
    static Names names(const json::value& told) {
        Names all;
        for (const json::value& anomaly : told.at("anomalies").as_array()) {
            all.emplace_back(anomaly.at("name").as_string());
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    std::uint64_t settings_ = 0;  ///< statements outside of transactions
    TemporaryFolder folder_;
    std::string file_ = folder_.path() / "live.isotap";
    std::unique_ptr<IsotapProcess> isotap_;
};

TEST_P(LiveAnomaliesMysql, LostUpdateAtReadCommitted) {
    begin("read committed");
    read_before_one_updates();
    run(*other_, "update account set balance = 80 where id = 1");
    run(*other_, "commit");
    EXPECT_THAT(found(2), ElementsAre("lost update"));
}

/// The second one writes what it finds: no row changes, and a count is lost.
TEST_P(LiveAnomaliesMysql, LostCount) {
    begin("read committed");
    read_before_one_updates();
    run(*other_, "update account set balance = 90 where id = 1");
    run(*other_, "commit");
    EXPECT_THAT(found(2), ElementsAre("lost update"));
}

/// From 11.6.2 on, MariaDB's snapshots refuse to overwrite what they do not show.
TEST_P(LiveAnomaliesMysql, LostUpdateAtRepeatableRead) {
    begin("repeatable read");
    read_before_one_updates();
    constexpr std::string_view update = "update account set balance = 80 where id = 1";
    if (GetParam() != MysqlFlavour::mariadb_11) {
        run(*other_, update);
        run(*other_, "commit");
        EXPECT_THAT(found(2), ElementsAre("lost update"));
    } else {
        EXPECT_THAT(other_->query(update).back().payload, testing::HasSubstr("has changed"));
        run(*other_, "rollback");
        EXPECT_THAT(found(2), IsEmpty());
    }
}

TEST_P(LiveAnomaliesMysql, WriteSkewAtRepeatableRead) {
    begin("repeatable read");
    for (MysqlWire* client : {one_.get(), other_.get()}) {
        run(*client, "select sum(balance) from account where id in (1, 2)");
    }
    run(*one_, "update account set balance = balance - 150 where id = 1");
    run(*other_, "update account set balance = balance - 150 where id = 2");
    run(*one_, "commit");
    run(*other_, "commit");
    EXPECT_THAT(found(2), ElementsAre("write skew"));
}

TEST_P(LiveAnomaliesMysql, ReadSkewAtReadCommitted) {
    begin("read committed");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "update account set balance = balance - 10 where id = 1");
    run(*other_, "update account set balance = balance + 10 where id = 2");
    run(*other_, "commit");
    run(*one_, "select balance from account where id = 2");
    run(*one_, "commit");
    EXPECT_THAT(found(2), ElementsAre("read skew"));
}

/// The rows of a write are asked for behind it. They close the cycle, and nobody says anything
/// more.
TEST_P(LiveAnomaliesMysql, ReadSkewAcrossTheLastWordOfASilentClient) {
    begin("read committed");
    run(*other_, "rollback");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "update account set balance = 90 where id in (1, 2)");
    run(*one_, "select balance from account where id = 2");
    run(*one_, "commit");
    EXPECT_EQ(told(3).at("anomalies").as_array().size(), 1U);
    // The question has left no trace.
    EXPECT_EQ(other_->query("select row_count()").at(3).payload, (std::string{'\x01', '2'}));
    EXPECT_THAT(found(4), ElementsAre("read skew"));
}

TEST_P(LiveAnomaliesMysql, NonRepeatableReadAtReadCommitted) {
    begin("read committed");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "update account set balance = 7 where id = 1");
    run(*other_, "commit");
    run(*one_, "select balance from account where id = 1");
    run(*one_, "commit");
    EXPECT_THAT(found(2), ElementsAre("non-repeatable read"));
}

/// Nobody sets a level: a server that was told to give another one to everybody breaks no promise.
TEST_P(LiveAnomaliesMysql, TheLevelOfTheServerIsKnown) {
    server_->sql("set global transaction isolation level read committed");
    one_ = connect();
    other_ = connect();
    run(*one_, "begin");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "update account set balance = 7 where id = 1");
    run(*one_, "select balance from account where id = 1");
    run(*one_, "commit");
    const json::value live = told(2);
    ASSERT_EQ(live.at("anomalies").as_array().size(), 1U);
    const json::value& anomaly = live.at("anomalies").at(0);
    EXPECT_EQ(anomaly.at("severity"), "hazard");
    EXPECT_EQ(anomaly.at("levels"), json::array({"READ COMMITTED"}));
    EXPECT_THAT(found(2), ElementsAre("non-repeatable read"));
}

/// Another one gives a row a new key. Who writes it there still sees it at its old place: a
/// snapshot of InnoDB does, and that is no write of its own that it does not see.
TEST_P(LiveAnomaliesMysql, LostUpdateOfARowThatMoved) {
    if (GetParam() == MysqlFlavour::mariadb_11) GTEST_SKIP() << "refuses the write: error 1020";
    begin("repeatable read");
    run(*one_, "select balance from account where id = 4");
    run(*other_, "update account set id = 9 where id = 4");
    run(*other_, "commit");
    run(*one_, "update account set balance = 7 where id = 9");
    run(*one_, "select balance from account where id = 4");
    run(*one_, "commit");
    EXPECT_THAT(found(2), ElementsAre("lost update"));
}

TEST_P(LiveAnomaliesMysql, DirtyReadAtReadUncommitted) {
    begin("read uncommitted");
    run(*one_, "update account set balance = 7 where id = 1");
    run(*other_, "select balance from account where id = 1");
    run(*other_, "commit");
    run(*one_, "rollback");
    EXPECT_THAT(found(2), ElementsAre("dirty read"));
}

TEST_P(LiveAnomaliesMysql, IntermediateReadAtReadUncommitted) {
    begin("read uncommitted");
    run(*one_, "update account set balance = 7 where id = 1");
    run(*other_, "select balance from account where id = 1");
    run(*one_, "update account set balance = 8 where id = 1");
    run(*one_, "commit");
    run(*other_, "commit");
    EXPECT_THAT(found(2), testing::Contains("intermediate read"));
}

TEST_P(LiveAnomaliesMysql, NoneWhereOneComesAfterTheOther) {
    for (int round = 0; round < 5; ++round) {
        for (MysqlWire* client : {one_.get(), other_.get()}) {
            run(*client, "begin");
            run(*client, "select balance from account where id = 3");
            run(*client, "update account set balance = balance - 1 where id = 3");
            run(*client, "delete from account where id = 4");
            run(*client, "insert into account values (4, 5)");
            run(*client, "commit");
        }
    }
    EXPECT_THAT(found(10), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Servers, LiveAnomaliesMysql,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
