#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/postgres/literal_plans.hpp"
#include "tests/unit/postgres/talk.hpp"

namespace isotap::postgres::test {
namespace {

using protocol::Phase;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string sync = message('S');
const std::string parsed = message('1');
const std::string bound = message('2');
const std::string no_data = message('n');
const std::string row = message('D', "\0\1\0\0\0\1x"sv);
const std::string columns = message('T', "\0\0"sv);
const std::string copy_in = message('G', "\0\0\0"sv);
const std::string copy_out = message('H', "\0\0\0"sv);
const std::string copy_done = message('c');

/// A conversation after start-up: who says what, in order.
struct Line {
    Side from;
    std::string bytes;
};
Line client(std::string bytes) {
    return {Side::client, std::move(bytes)};
}
Line server(std::string bytes) {
    return {Side::server, std::move(bytes)};
}

struct Case {
    std::string name;
    std::vector<Line> lines;
    Phase phase = Phase::idle;
};

std::vector<Case> queries() {
    return {
        {"simple query",
         {client(query("select 1")), server(columns + row + complete("SELECT 1") + ready())}},
        {"an empty query", {client(query("")), server(message('I') + ready())}},
        {"several statements in a query",
         {client(query("begin; insert into t values (1); commit")),
          server(complete("BEGIN") + complete("INSERT 0 1") + complete("COMMIT") + ready())}},
        {"an error in a query",
         {client(query("select 1/0; select 2")), server(error("22012") + ready())}},
        {"queries that do not wait",
         {client(query("select 1") + query("select 2")),
          server(columns + row + complete("SELECT 1") + ready() + columns + row),
          server(complete("SELECT 1") + ready())}},
        {"extended query",
         {client(parse("", "select 1") + bind("", "") + message('D', "P\0"sv) + execute("") + sync),
          server(parsed + bound + columns + row + complete("SELECT 1") + ready())}},
        {"describe of a statement",
         {client(parse("s", "select 1") + message('D', "Ss\0"sv) + sync),
          server(parsed + message('t', "\0\0"sv) + no_data + ready())}},
        {"flush instead of sync",
         {client(parse("", "select 1") + message('H')), server(parsed),
          client(bind("", "") + execute("") + message('H')), server(bound + row),
          server(complete("SELECT 1")), client(sync), server(ready())}},
        {"a portal that is suspended and goes on",
         {client(parse("", "select 1") + bind("p", "") + execute("p") + message('H')),
          server(parsed + bound + row + message('s')), client(execute("p") + sync),
          server(row + complete("SELECT 1") + ready())}},
        {"an error in a pipeline skips to its sync, queries included",
         {client(parse("", "select 1/0") + bind("", "") + execute("") + query("select 3") + sync +
                 query("select 4")),
          server(parsed + bound + error("22012")), server(ready()),
          server(columns + row + complete("SELECT 1") + ready())}},
        {"requests that are sent after the error is on its way",
         {client(parse("", "bogus")), server(error("42601")),
          client(bind("", "") + execute("") + query("select 1")), client(sync), server(ready())}},
        {"an error at the sync",
         {client(parse("", "insert") + bind("", "") + execute("") + sync),
          server(parsed + bound + complete("INSERT 0 1") + error("40001") + ready())}},
        {"close and its answer",
         {client(message('C', "Snone\0"sv) + sync), server(message('3') + ready())}},
        {"function call",
         {client(message('F', std::string(14, '\0'))), server(message('V', "....") + ready())}},
    };
}

std::vector<Case> copies() {
    return {
        {"copy out",
         {client(query("copy t to stdout")),
          server(copy_out + message('d', "1\n") + copy_done + complete("COPY 1") + ready())}},
        {"copy in",
         {client(query("copy t from stdin")), server(copy_in),
          client(message('d', "1\n") + copy_done), server(complete("COPY 1") + ready())}},
        {"copy in that the client gives up",
         {client(query("copy t from stdin")), server(copy_in), client(message('f', "no\0")),
          server(error("57014") + ready())}},
        {"copy in that fails while the client goes on",
         {client(query("copy t from stdin")), server(copy_in), client(message('d', "x\n")),
          server(error("22P02") + ready()), client(message('d', "y\n") + copy_done),
          client(query("select 1")), server(columns + row + complete("SELECT 1") + ready())}},
        {"copy in of a pipeline: the server reads over the first sync",
         {client(parse("", "copy t from stdin") + bind("", "") + execute("") + sync),
          server(parsed + bound + copy_in), client(message('d', "1\n") + copy_done + sync),
          server(complete("COPY 1") + ready())}},
        {"copy in, all of it sent at once",
         {client(parse("", "copy t from stdin") + bind("", "") + execute("") + sync +
                 message('d', "1\n") + copy_done + sync),
          server(parsed + bound + copy_in + complete("COPY 1") + ready())}},
        {"two copies in one query, sent at once",
         {client(query("copy t from stdin; copy t from stdin") + message('d', "1\n") + copy_done +
                 message('d', "2\n") + copy_done),
          server(copy_in + complete("COPY 1") + copy_in + complete("COPY 1") + ready())}},
        {"copy data that nobody waits for any more",
         {client(query("copy bogus from stdin") + message('d', "1\n") + copy_done),
          server(error("42P01") + ready())}},
    };
}

std::vector<Case> other_matters() {
    return {
        {"the server speaks between messages and unasked",
         {server(message('A', "note") + message('N', "ice") + message('S', "a\0b\0")),
          client(query("select 1")),
          server(message('N', "x") + columns + message('A', "y") + row + complete("SELECT 1") +
                 message('S', "client_encoding\0UTF8\0"sv) + ready())}},
        {"a fatal error out of the blue", {server(error("57P01", "FATAL"))}},
        {"an open transaction",
         {client(query("begin")), server(complete("BEGIN") + ready('T'))},
         Phase::busy},
        {"a failed transaction",
         {client(query("begin")), server(complete("BEGIN") + ready('T')), client(query("x")),
          server(error("42601") + ready('E'))},
         Phase::busy},
        {"a request without its answer", {client(query("select 1")), server(columns)}, Phase::busy},
        {"half a request", {client(query("select 1").substr(0, 7))}, Phase::busy},
        {"terminate behind a request",
         {client(query("select 1") + message('X')),
          server(columns + row + complete("SELECT 1") + ready())}},
    };
}

std::vector<Case> conversations() {
    std::vector<Case> all = queries();
    for (const auto& more : {copies(), other_matters()}) {
        all.insert(all.end(), more.begin(), more.end());
    }
    return all;
}

/// A client whose statements are captured, and none of them has a plan that adds anything. A
/// message that is not whole waits for its end.
bool waits_for_its_end(const Case& c, bool capture) {
    return capture && c.name == "half a request";
}

/// Transparency at its simplest: what goes in on one side comes out on the other, however the
/// network cut it, and nobody loses track.
TEST(Conversation, EveryByteComesOutAsItWentIn) {
    for (const Case& c : conversations()) {
        for (const std::size_t slice : {0U, 1U, 2U, 3U, 5U, 7U}) {
            SCOPED_TRACE(c.name + ", slices of " + std::to_string(slice));
            for (const char mode : {'r', 'o', 'c'}) {
                LiteralPlans plans;
                plans.none = true;
                Talk::Setting setting;
                setting.slice = slice;
                setting.observe = mode != 'r';
                setting.plans = mode == 'c' ? &plans : nullptr;
                Talk talk(setting);
                talk.begun();
                std::string said[2];
                for (const Line& line : c.lines) {
                    said[line.from == Side::client ? 0 : 1] += line.bytes;
                    line.from == Side::client ? talk.client(line.bytes) : talk.server(line.bytes);
                }
                EXPECT_EQ(talk.to_server, waits_for_its_end(c, mode == 'c') ? "" : said[0]);
                EXPECT_EQ(talk.to_client, said[1]);
                EXPECT_EQ(talk.phase(), c.phase);
                EXPECT_FALSE(talk.blind());
            }
        }
    }
}

/// How the bytes were cut must not change what is told of them.
TEST(Conversation, EventsDoNotDependOnHowTheNetworkCutTheBytes) {
    for (const Case& c : conversations()) {
        SCOPED_TRACE(c.name);
        std::vector<std::string> whole;
        for (const std::size_t slice : {0U, 1U, 4U}) {
            Talk::Setting setting;
            setting.slice = slice;
            Talk talk(setting);
            talk.begun();
            for (const Line& line : c.lines) {
                line.from == Side::client ? talk.client(line.bytes) : talk.server(line.bytes);
            }
            talk.close();
            if (slice == 0) {
                whole = talk.events;
            }
            EXPECT_EQ(talk.events, whole) << "slices of " << slice;
        }
    }
}

TEST(Conversation, AReplyThatNothingAskedForMakesItBlindAndHarmsNobody) {
    for (const std::string& surprise :
         {ready(), parsed, row, complete("SELECT 1"), message('W', "..."), message('~', "?")}) {
        Talk talk;
        talk.begun().server(surprise + "rest").client("\x01 whatever");
        EXPECT_TRUE(talk.blind());
        EXPECT_EQ(talk.to_client, surprise + "rest");
        EXPECT_EQ(talk.to_server, "\x01 whatever");
        EXPECT_EQ(talk.notes.size(), 1U);
        EXPECT_THAT(talk.events, Contains("gap"));
    }
}

TEST(Conversation, AMessageThatNoClientSendsIsTheServersAffair) {
    for (const std::string& odd : {message('~', "?"), std::string("Q\0\0\0\3rest", 9)}) {
        Talk talk;
        talk.begun().client(odd);
        EXPECT_TRUE(talk.blind());
        EXPECT_EQ(talk.to_server, odd);
        EXPECT_THAT(talk.notes, ElementsAre("unknown_message"));
    }
}

TEST(Conversation, APipelineBeyondTheBoundGoesOnUnobserved) {
    Talk::Setting setting;
    setting.limits.pipelined_replies = 10;
    Talk talk(setting);
    talk.begun();
    std::string all;
    for (int i = 0; i < 20; ++i) {
        all += query("select 1");
    }
    talk.client(all);
    EXPECT_EQ(talk.to_server, all);
    EXPECT_THAT(talk.notes, ElementsAre("pipeline_too_deep"));
}

TEST(Conversation, AShutdownIsToldInTheServersOwnWords) {
    Talk idle;
    idle.begun().shut_down();
    EXPECT_THAT(idle.to_client, HasSubstr("57P01"));
    EXPECT_EQ(idle.to_server, message('X')) << "the server is left in good order";
    EXPECT_THAT(idle.asked, ElementsAre("finish"));

    Talk busy;
    busy.begun().client(query("select 1")).shut_down();
    EXPECT_THAT(busy.to_client, HasSubstr("57P01"));
    EXPECT_EQ(busy.to_server, query("select 1"));
}

TEST(Conversation, AShutdownNeverSpeaksIntoAMessageOrAHandshake) {
    Talk in_a_row;
    in_a_row.begun().client(query("select 1")).server(columns + row.substr(0, 8)).shut_down();
    EXPECT_EQ(in_a_row.to_client, columns + row.substr(0, 8));
    EXPECT_THAT(in_a_row.asked, ElementsAre("finish"));

    Talk asking;
    asking.client(packet(ssl_request_code)).shut_down();
    EXPECT_EQ(asking.to_client, "");

    Talk blind;
    blind.begun().server(ready()).shut_down();
    EXPECT_EQ(blind.to_client, ready());
}

TEST(Conversation, BindingToOurCertificateIsExplainedInsteadOfFailing) {
    const std::string offer = message('R', "\0\0\0\12SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0"sv);
    const std::string plus = message('p', "SCRAM-SHA-256-PLUS\0\0\0\0\1x"sv);
    const std::string plain = message('p', "SCRAM-SHA-256\0\0\0\0\1x"sv);
    Talk::Setting setting;
    setting.tls = {protocol::TlsPolicy::mirror, true, protocol::ServerTls::prefer};
    for (const bool agree : {false, true}) {
        for (const std::size_t slice : {0U, 1U}) {
            setting.slice = slice;
            Talk talk(setting);
            talk.client(packet(ssl_request_code)).server("S");
            talk.tls_started(Side::server, {false, agree}).tls_started(Side::client);
            talk.client(startup()).server(offer);
            EXPECT_EQ(talk.to_client, "S" + offer);
            talk.to_server.clear();
            talk.client(plus);
            EXPECT_EQ(talk.to_server, agree ? plus : "");
            if (!agree) {
                EXPECT_THAT(talk.to_client, HasSubstr("channel binding"));
                EXPECT_EQ(talk.asked.back(), "finish");
            }
        }
        Talk talk(setting);
        talk.client(packet(ssl_request_code)).server("S");
        talk.tls_started(Side::server, {false, agree}).tls_started(Side::client);
        talk.client(startup()).server(offer);
        talk.to_server.clear();
        talk.client(plain + message('p', "second")).server(welcome());
        EXPECT_EQ(talk.to_server, plain + message('p', "second"));
        EXPECT_EQ(talk.phase(), Phase::idle);
    }
}

TEST(Conversation, AClientWithoutTlsIsNotOfferedToBindToIt) {
    const std::string offer = message('R', "\0\0\0\12SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0"sv);
    const std::string stripped = message('R', "\0\0\0\12SCRAM-SHA-256\0\0"sv);
    for (const std::size_t slice : {0U, 1U, 6U}) {
        Talk::Setting setting;
        setting.slice = slice;
        setting.tls = {protocol::TlsPolicy::terminate, true, protocol::ServerTls::prefer};
        Talk talk(setting);
        talk.client(startup()).server("S").tls_started(Side::server).server(offer);
        EXPECT_EQ(talk.to_client, stripped);
        talk.server(message('R', "\0\0\0\13more"sv));
        EXPECT_EQ(talk.to_client, stripped + message('R', "\0\0\0\13more"sv));
    }
}

}  // namespace
}  // namespace isotap::postgres::test
