// Input that nobody should send, and servers and clients that fail at the worst moment: a clear
// message, the right SQLSTATE, bounded memory, and every other session goes on.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/gate.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

constexpr std::size_t mebibyte = 1024 * 1024;

/// Each in both modes.
class PostgresBadInput : public testing::TestWithParam<std::string> {
  protected:
    static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
    static void TearDownTestSuite() { server_.reset(); }

    static std::vector<std::string> options(std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"--mode", GetParam(), "--admin", "127.0.0.1:0"});
        return more;
    }

    static bool answers(IsotapProcess& proxy) {
        PostgresWire client({.port = proxy.port()});
        client.start();
        const std::vector<Frame> frames = client.query("SELECT 1");
        return !frames.empty() && frames.back().type == 'Z';
    }

    static PostgresServer& server() { return *server_; }

  private:
    static inline std::unique_ptr<PostgresServer> server_;
};

TEST_P(PostgresBadInput, GarbageBeforeTheHandshake) {
    IsotapProcess proxy(server().url(), options());
    const std::vector<std::string> garbage{
        "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        std::string(4096, '\0'),
        std::string(4096, '\xFF'),
        "Q" + std::string("\0\0\0\x0DSELECT 1\0", 13),
        std::string("\0\0\0\x08\x7F\xFF\xFF\xFF", 8),
    };
    for (const std::string& bytes : garbage) {
        PostgresWire client({.port = proxy.port()});
        client.send(bytes);
        client.stream().end_sending();
        EXPECT_NO_THROW(client.read_until('-'))
            << "the answer, if any, is a message and then the end";
    }
    EXPECT_TRUE(answers(proxy));
    EXPECT_EQ(proxy.stop(), 0);
}

TEST_P(PostgresBadInput, FirstPacketOfTwoGibibytes) {
    IsotapProcess proxy(server().url(), options());
    const std::size_t before = memory_of(proxy.process().id()).peak;
    std::vector<std::unique_ptr<PostgresWire>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<PostgresWire>(Endpoint{.port = proxy.port()}));
        clients.back()->send(MessageWriter().be32(0x7FFFFFFF).be32(protocol_3_0).body());
    }
    for (const auto& client : clients) {
        EXPECT_TRUE(client->read_until('-').empty()) << "as the server: it hangs up";
    }
    EXPECT_LT(memory_of(proxy.process().id()).peak, before + 8 * mebibyte);
    EXPECT_TRUE(answers(proxy));
}

TEST_P(PostgresBadInput, StartUpThatIsNeverFinished) {
    IsotapProcess proxy(server().url(), options({"--limits.login-timeout", "200ms"}));
    PostgresWire silent({.port = proxy.port()});
    PostgresWire halfway({.port = proxy.port()});
    halfway.send(startup_packet({{"user", "postgres"}}).substr(0, 11));
    EXPECT_FALSE(silent.read_byte().has_value());
    halfway.read_until('-');
    EXPECT_GE(proxy.metrics().at("isotap_login_timeouts_total"), 2);
    EXPECT_TRUE(answers(proxy));
}

TEST_P(PostgresBadInput, ClientThatStopsReadingAResultOfAGibibyte) {
    IsotapProcess proxy(server().url(), options());
    PostgresWire client({.port = proxy.port()});
    client.stream().shrink_receive_buffer();
    client.start();
    client.send(query_message("SELECT repeat('x', 1048576) FROM generate_series(1, 1024)"));
    // The result has begun, and then the server waits for somebody to read: nothing moves.
    ASSERT_TRUE(client.read().has_value());
    server().sql(
        "SET statement_timeout = '20s'; DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity "
        "WHERE wait_event = 'ClientWrite') LOOP PERFORM pg_sleep(0.005); "
        "PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");
    EXPECT_TRUE(answers(proxy)) << "the others go on";
    const Memory memory = memory_of(proxy.process().id());
    RecordProperty("peak_mebibytes", std::to_string(memory.peak / mebibyte));
    EXPECT_LT(memory.peak, 100 * mebibyte);
    client.stream().reset();
    EXPECT_TRUE(answers(proxy));
}

TEST_P(PostgresBadInput, RowsOfManyMebibytes) {
    IsotapProcess proxy(server().url(), options());
    PostgresWire client({.port = proxy.port()});
    client.start();
    client.send(query_message("SELECT repeat('x', 67108864) FROM generate_series(1, 3)"));
    EXPECT_EQ(client.read_until('Z').back().type, 'Z');
    EXPECT_LT(memory_of(proxy.process().id()).peak, 100 * mebibyte)
        << "a row of 64 MiB streams, it is not collected";
}

TEST_P(PostgresBadInput, ServerThatIsNotThere) {
    PostgresServer gone;
    gone.stop();
    IsotapProcess proxy(gone.url(), options());
    PostgresWire client({.port = proxy.port()});
    client.send(startup_packet({{"user", "postgres"}}));
    const ServerError error = error_in(client.read_until('-'));
    EXPECT_EQ(error.sqlstate, "08006") << error.text;
    gone.start();
    EXPECT_TRUE(answers(proxy)) << "once it is back, everything is as always";
}

TEST_P(PostgresBadInput, ServerThatCrashesInTheMiddleOfAStatement) {
    PostgresServer mortal;
    IsotapProcess proxy(mortal.url(), options());
    PostgresWire client({.port = proxy.port()});
    client.start();
    client.query("BEGIN");
    client.send(query_message("SELECT pg_sleep(600)"));
    mortal.sql(
        "DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep') "
        "LOOP PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");
    mortal.stop(true);
    const std::vector<Frame> last_words = client.read_until('-');
    ASSERT_FALSE(last_words.empty());
    EXPECT_EQ(last_words.back().type, 'N') << "the server warns; nobody adds an error";
    EXPECT_EQ(error_field(last_words.back().body, 'C'), "57P01");
    mortal.start();
    EXPECT_TRUE(answers(proxy));
}

TEST_P(PostgresBadInput, ServerThatVanishesBetweenStatements) {
    PostgresServer mortal;
    IsotapProcess proxy(mortal.url(), options());
    PostgresWire client({.port = proxy.port()});
    client.start();
    client.query("SELECT 1");
    mortal.stop();
    const ServerError error = error_in(client.read_until('-'));
    EXPECT_EQ(error.sqlstate, "57P01") << error.text;
    mortal.start();
    EXPECT_TRUE(answers(proxy));
}

TEST_P(PostgresBadInput, ConnectionCutInTheMiddleOfAResult) {
    Gate gate({.port = server().port()}, {.to_client = {.reset_after = 100'000}});
    IsotapProcess proxy(
        "postgres://postgres@127.0.0.1:" + std::to_string(gate.port()) + "/postgres", options());
    PostgresWire client({.port = proxy.port()});
    client.start();
    client.send(query_message("SELECT repeat('x', 1000) FROM generate_series(1, 10000)"));
    EXPECT_ANY_THROW({
        if (client.read_until('Z').back().type != 'Z') throw std::runtime_error("ended");
    });
    gate.set_plan({});
    EXPECT_TRUE(answers(proxy));
}

INSTANTIATE_TEST_SUITE_P(Modes, PostgresBadInput, testing::Values("relay", "observe"),
                         [](const auto& mode) { return mode.param; });

}  // namespace
}  // namespace isotap::test
