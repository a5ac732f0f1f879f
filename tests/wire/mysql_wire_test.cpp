// Every conversation is held with the server itself and through the proxy, on every route; what
// comes back must be the same, packet by packet, and the proxy must have understood it.
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/wire/mysql_setting.hpp"
#include "tests/wire/mysql_talk.hpp"

namespace isotap::test {
namespace {

MysqlSetting& setting(MysqlFlavour flavour) {
    static std::map<MysqlFlavour, std::unique_ptr<MysqlSetting>> all;
    std::unique_ptr<MysqlSetting>& one = all[flavour];
    if (!one) one = std::make_unique<MysqlSetting>(flavour);
    return *one;
}

using IndexFlags = MysqlTalk::IndexFlags;

std::vector<std::string> hold(const MysqlConversation& conversation, const Endpoint& place,
                              MysqlServer& server, IndexFlags index_flags) {
    server.sql("DROP DATABASE shop; CREATE DATABASE shop");
    MysqlTalk talk(place, server, index_flags);
    conversation.hold(talk);
    return talk.transcript();
}

/// Every gate on every leg takes minutes: that is for ISOTAP_EVERY_ROUTE. Without it, the main
/// routes; of those, what moves megabytes or waits for seconds takes the ones without a gate.
std::vector<Route> routes_for(const MysqlConversation& conversation) {
    if (conversation.slow) {
        std::vector<Route> routes = main_routes();
        routes.resize(2);
        return routes;
    }
    return std::getenv("ISOTAP_EVERY_ROUTE") != nullptr ? every_route() : main_routes();
}

using Parameters = std::tuple<MysqlFlavour, MysqlConversation>;

class MysqlWireTest : public testing::TestWithParam<Parameters> {
  protected:
    void SetUp() override {
        if (!mysql_available(std::get<0>(GetParam()))) GTEST_SKIP() << "no such server here";
    }
};

TEST_P(MysqlWireTest, IsTheSameThroughTheProxy) {
    const auto& [flavour, conversation] = GetParam();
    MysqlSetting& there = setting(flavour);
    std::map<IndexFlags, std::vector<std::string>> direct;
    for (const IndexFlags flags : {IndexFlags::shown, IndexFlags::masked}) {
        direct[flags] = hold(conversation, there.direct(), there.server(), flags);
        ASSERT_FALSE(direct[flags].empty());
    }
    for (const Route& route : routes_for(conversation)) {
        SCOPED_TRACE(route.name);
        const bool adds_columns = route.mode == "instrument";
        if (adds_columns && conversation.shows_columns) continue;
        const IndexFlags flags = adds_columns ? IndexFlags::masked : IndexFlags::shown;
        const auto lost = [&] {
            return route.mode.empty() ? 0
                                      : there.notes(route, "desynchronised") +
                                            there.notes(route, "unknown_message") +
                                            there.notes(route, "opaque_compression");
        };
        const Endpoint front = there.front(route);
        const long before = lost();
        EXPECT_EQ(hold(conversation, front, there.server(), flags), direct[flags]);
        if (!conversation.blind) {
            EXPECT_EQ(lost(), before) << "the proxy lost the thread";
        }
    }
}

std::vector<Parameters> every_conversation() {
    std::vector<Parameters> all;
    for (const MysqlFlavour flavour :
         {MysqlFlavour::mariadb, MysqlFlavour::mysql, MysqlFlavour::mariadb_11}) {
        const char* kind = flavour == MysqlFlavour::mysql ? "mysql" : "mariadb";
        for (const MysqlConversation& one : mysql_conversations()) {
            if (one.servers.find(kind) != std::string::npos) {
                all.emplace_back(flavour, one);
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Each, MysqlWireTest, testing::ValuesIn(every_conversation()),
                         [](const auto& named) {
                             return testing::PrintToString(std::get<0>(named.param)) + "_" +
                                    std::get<1>(named.param).name;
                         });

class MysqlThroughProxy : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    }
};

TEST_P(MysqlThroughProxy, TheConnectionIdIsTheServersAndKillsTheQuery) {
    MysqlSetting& there = setting(GetParam());
    MysqlWire client(there.front(main_routes()[1]));
    client.log_in({});
    client.send(mysql_command(0x03, "SELECT SLEEP(30)"));
    const std::string id = std::to_string(client.connection_id());
    const std::string seen =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%' AND "
        "id=" +
        id;
    while (there.server().sql(seen) != "1\n") {
        std::this_thread::yield();
    }
    there.server().sql("KILL QUERY " + id);
    const std::vector<MysqlPacket> reply = client.read_reply(0x03);
    ASSERT_FALSE(reply.empty()) << "interrupted, long before its time";
    EXPECT_FALSE(client.ended());
    EXPECT_EQ(client.command(0x0e).front().head(), 0);
}

TEST_P(MysqlThroughProxy, TooManyConnectionsIsTheServersOwnWord) {
    MysqlServer small({.flavour = GetParam(), .settings = {"max-connections=10"}});
    const IsotapProcess proxy(small.url());
    std::vector<std::unique_ptr<MysqlWire>> held;
    MysqlPacket answer;
    for (int i = 0; i < 20 && answer.head() != 0xff; ++i) {
        held.push_back(std::make_unique<MysqlWire>(Endpoint{.port = proxy.port()}));
        answer = held.back()->log_in({});
    }
    EXPECT_EQ(answer.payload.substr(1, 2), mysql_number(1040, 2));
    MysqlWire direct(Endpoint{.port = small.port()});
    EXPECT_EQ(direct.log_in({}).payload, answer.payload);
}

TEST_P(MysqlThroughProxy, AServerThatIsNotThereIsToldInTheDialect) {
    const IsotapProcess proxy("mysql://tap@127.0.0.1:1/shop");
    MysqlWire client(Endpoint{.port = proxy.port()});
    const MysqlPacket refusal = client.log_in({});
    EXPECT_EQ(refusal.head(), 0xff);
    EXPECT_EQ(refusal.payload.substr(1, 2), mysql_number(1158, 2));
}

TEST_P(MysqlThroughProxy, TransactionsAreCountedAsTheServerEndsThem) {
    MysqlSetting& there = setting(GetParam());
    const Route observe = main_routes()[1];
    MysqlWire client(there.front(observe));
    client.log_in({.capabilities = client_flag::multi_statements});
    const auto ended = [&](const std::string& outcome) {
        return there.counter(observe, "isotap_transactions_total{outcome=\"" + outcome + "\"}");
    };
    const long in_doubt = ended("indeterminate");
    struct Step {
        const char* sql;
        long committed;
        long aborted;
    };
    for (const Step& step :
         std::vector<Step>{{"DROP TABLE IF EXISTS counted", 1, 0},
                           {"CREATE TABLE counted (a INT PRIMARY KEY) ENGINE=InnoDB", 1, 0},
                           {"BEGIN; INSERT INTO counted VALUES (1); COMMIT", 1, 0},
                           {"START TRANSACTION; INSERT INTO counted VALUES (2); ROLLBACK", 0, 1},
                           {"INSERT INTO counted VALUES (1)", 0, 1},
                           {"BEGIN", 0, 0},
                           {"INSERT INTO counted VALUES (1)", 0, 0},
                           {"INSERT INTO counted VALUES (3)", 0, 0},
                           {"COMMIT AND CHAIN", 1, 0},
                           {"INSERT INTO counted VALUES (4)", 0, 0},
                           {"BEGIN", 1, 0},
                           {"CREATE TABLE IF NOT EXISTS counted (a INT)", 1, 0},
                           {"SET autocommit=0", 1, 0},
                           {"INSERT INTO counted VALUES (5)", 0, 0},
                           {"SET autocommit=1", 1, 0},
                           {"XA START 'x'", 0, 0},
                           {"INSERT INTO counted VALUES (6)", 0, 0},
                           {"XA END 'x'", 0, 0},
                           {"XA PREPARE 'x'", 0, 0},
                           {"XA COMMIT 'x'", 2, 0},
                           {"XA START 'y'; XA END 'y'; XA ROLLBACK 'y'", 0, 1}}) {
        SCOPED_TRACE(step.sql);
        const long committed = ended("committed");
        const long aborted = ended("aborted");
        client.query(step.sql);
        EXPECT_EQ(ended("committed") - committed, step.committed);
        EXPECT_EQ(ended("aborted") - aborted, step.aborted);
    }
    EXPECT_EQ(ended("indeterminate"), in_doubt);
}

TEST_P(MysqlThroughProxy, ARowOf64MiBCostsNoMemory) {
    MysqlSetting& there = setting(GetParam());
    IsotapProcess proxy(there.server().url(), {"--mode", "observe"});
    MysqlWire client(Endpoint{.port = proxy.port()});
    client.log_in({.capabilities = client_flag::deprecate_eof});
    client.query("SELECT 1");
    const std::size_t before = memory_of(proxy.process().id()).peak;
    constexpr std::size_t row_size = 64U << 20;
    const auto reply = client.query("SELECT REPEAT('x'," + std::to_string(row_size) + ")");
    ASSERT_EQ(reply.size(), 4U);
    EXPECT_GT(reply[2].payload.size(), row_size);
    EXPECT_LT(memory_of(proxy.process().id()).peak, before + (16U << 20));
}

INSTANTIATE_TEST_SUITE_P(Each, MysqlThroughProxy,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql,
                                         MysqlFlavour::mariadb_11),
                         [](const auto& named) { return testing::PrintToString(named.param); });

}  // namespace
}  // namespace isotap::test
