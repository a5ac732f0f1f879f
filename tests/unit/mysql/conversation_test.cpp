#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/mysql/packet_reader.hpp"
#include "tests/unit/mysql/packets.hpp"
#include "tests/unit/mysql/wire.hpp"

namespace isotap::mysql {
namespace {

using protocol::Note;
using protocol::Phase;
using test::autocommit;
using test::column;
using test::command;
using test::end_ok;
using test::eof;
using test::in_transaction;
using test::more_results;
using test::number;
using test::ok;
using test::packet;
using test::query;
using test::result_set;
using test::row;
using test::Wire;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Capabilities plain = test::plain_capabilities;
constexpr Capabilities modern = plain.with(Capability::deprecate_eof)
                                    .with(Capability::session_track)
                                    .with(Capability::optional_resultset_metadata)
                                    .with(Capability::query_attributes);

/// Replies that must be followed to their end and no further, whatever they are made of.
struct Case {
    std::string_view what;
    Capabilities capabilities;
    std::string request;
    std::string reply;
};

std::string prepare_ok(std::uint8_t columns, std::uint8_t parameters, std::string_view rest = {}) {
    return packet(1, number(0, 1) + number(7, 4) + number(columns, 2) + number(parameters, 2) +
                         number(0, 3) + std::string(rest));
}

std::string execute(std::uint32_t id) {
    return command(0x17, number(id, 4) + number(0, 1) + number(1, 4));
}

std::vector<Case> cases() {
    const Capabilities cached = plain.with(Capability::mariadb_cache_metadata)
                                    .with(Capability::deprecate_eof)
                                    .without(Capability::long_password);
    const Capabilities progress =
        plain.with(Capability::mariadb_progress).without(Capability::long_password);
    const std::string no_attributes = number(0, 1) + number(1, 1);
    return {
        {"ok", plain, query("SET a=1"), ok(1)},
        {"error", plain, query("x"), test::error(1, 1064)},
        {"rows", plain, query("SELECT a"), result_set(1, 3)},
        {"no rows", plain, query("SELECT a"), result_set(1, 0)},
        {"error after rows", plain, query("SELECT a"),
         packet(1, number(1, 1)) + column(2) + eof(3) + row(4, "x") + test::error(5, 1317)},
        {"rows without EOF", modern, query(no_attributes + "SELECT a"),
         packet(1, number(1, 1) + number(1, 1)) + column(2) + row(3, "x") + end_ok(4)},
        {"rows without metadata", modern, query(no_attributes + "SELECT a"),
         packet(1, number(1, 1) + number(0, 1)) + row(2, "x") + end_ok(3)},
        {"rows with cached metadata", cached, execute(7),
         packet(1, number(2, 1) + number(0, 1)) + packet(2, number(0, 10)) + end_ok(3)},
        {"two result sets", plain, query("SELECT 1; SELECT 2"),
         result_set(1, 1, autocommit | more_results) + result_set(6, 1)},
        {"result set and OK", plain, query("CALL p()"),
         result_set(1, 1, autocommit | more_results) + ok(6)},
        {"OK and error", plain, query("SET a=1; x"),
         ok(1, autocommit | more_results) + test::error(2, 1064)},
        {"ping", plain, command(0x0e), ok(1)},
        {"init db", plain, command(0x02, "shop"), ok(1)},
        {"statistics", plain, command(0x09), packet(1, "Uptime: 1")},
        {"statistics that look like an error", plain, command(0x09), packet(1, "\xff\xff")},
        {"process info", plain, command(0x0a), result_set(1, 2)},
        {"field list", plain, command(0x04, "t"), column(1) + column(2) + eof(3)},
        {"set option", plain, command(0x1b, number(0, 2)), eof(1)},
        {"set option without EOF", modern, command(0x1b, number(0, 2)), end_ok(1)},
        {"an EOF where none was agreed on", modern, command(0x1b, number(0, 2)), eof(1)},
        {"debug", plain, command(0x0d), eof(1)},
        {"reset connection", plain, command(0x1f), ok(1)},
        {"prepare", plain, command(0x16, "SELECT ?"),
         prepare_ok(1, 1) + column(2) + eof(3) + column(4) + eof(5)},
        {"prepare without EOF", modern, command(0x16, "SELECT ?"),
         prepare_ok(1, 1, number(1, 1)) + column(2) + column(3)},
        {"prepare without metadata", modern, command(0x16, "SELECT ?"),
         prepare_ok(1, 1, number(0, 1))},
        {"prepare without metadata, with its end markers",
         plain.with(Capability::optional_resultset_metadata), command(0x16, "SELECT ?"),
         prepare_ok(1, 1, number(0, 1)) + eof(2) + eof(3)},
        {"output parameters, as MySQL sends them", plain, execute(7),
         packet(1, number(1, 1)) + column(2) + eof(3, autocommit | more_results | 0x1000) +
             packet(4, number(0, 6)) + eof(5) + ok(6)},
        {"prepare of nothing", plain, command(0x16, "SET a=1"), prepare_ok(0, 0)},
        {"prepare of columns only", plain, command(0x16, "SELECT 1"),
         prepare_ok(1, 0) + column(2) + eof(3)},
        {"prepare of parameters only", plain, command(0x16, "DELETE FROM t WHERE a=?"),
         prepare_ok(0, 1) + column(2) + eof(3)},
        {"prepare with a parameter that is not described", plain,
         command(0x16, "SELECT GROUP_CONCAT(? ORDER BY ?)"),
         prepare_ok(1, 2) + column(2) + eof(3) + column(4) + eof(5)},
        {"failed prepare", plain, command(0x16, "x"), test::error(1, 1064)},
        {"execute", plain, execute(7),
         packet(1, number(1, 1)) + column(2) + eof(3) + packet(4, number(0, 6)) + eof(5)},
        {"cursor", plain, execute(7),
         packet(1, number(1, 1)) + column(2) + eof(3, autocommit | test::cursor_exists)},
        {"cursor without EOF", modern, execute(7),
         packet(1, number(1, 1) + number(1, 1)) + column(2) +
             end_ok(3, autocommit | test::cursor_exists)},
        {"fetch", plain, command(0x1c, number(7, 4) + number(2, 4)),
         packet(1, number(0, 6)) + packet(2, number(0, 6)) + eof(3, autocommit | 0x40)},
        {"reset statement", plain, command(0x1a, number(7, 4)), ok(1)},
        {"bulk execute", plain, command(0xfa, number(7, 4) + number(128, 2)), ok(1)},
        {"progress", progress, query("ALTER TABLE t"),
         packet(1, "\xff\xff\xff\x01\x01\x01half") + packet(2, "\xff\xff\xff\x01") + ok(3)},
    };
}

TEST(MysqlConversation, FollowsEveryShapeOfReply) {
    for (const Case& one : cases()) {
        SCOPED_TRACE(one.what);
        Wire wire;
        wire.log_in(one.capabilities);
        wire.from_client(one.request);
        EXPECT_EQ(wire.phase(), Phase::busy);
        wire.from_server(one.reply.substr(0, one.reply.size() - 1));
        EXPECT_EQ(wire.phase(), Phase::busy);
        wire.from_server(one.reply.substr(one.reply.size() - 1));
        EXPECT_EQ(wire.phase(), Phase::idle) << "the reply is over";
        EXPECT_EQ(wire.to_server, one.request);
        EXPECT_EQ(wire.to_client, one.reply);
        wire.exchange(command(0x0e), ok(1));
        EXPECT_EQ(wire.phase(), Phase::idle);
    }
}

TEST(MysqlConversation, CommandsWithoutReplyMayBePipelined) {
    Wire wire;
    wire.log_in(plain);
    wire.exchange(command(0x16, "SELECT ?"), prepare_ok(0, 0));
    wire.from_client(command(0x18, number(7, 4) + number(0, 2) + "long data") +
                     command(0x19, number(7, 4)) + query("SELECT 1"));
    wire.from_server(result_set(1, 1));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlConversation, AnswersToAPipelineComeInOrder) {
    Wire wire;
    wire.log_in(plain.with(Capability::mariadb_bulk_operations).without(Capability::long_password));
    // MariaDB's connectors execute what they prepare before they know its number.
    wire.from_client(command(0x16, "SELECT 5") + execute(0xffffffff) + query("SELECT 6"));
    wire.from_server(prepare_ok(0, 0) + result_set(1, 1) + result_set(1, 2));
    EXPECT_EQ(wire.phase(), Phase::idle);
    EXPECT_THAT(wire.events(), Contains("1.1 SELECT 5"));
    EXPECT_THAT(wire.events(), Contains("1.1 completed 1"));
    EXPECT_THAT(wire.events(), Contains("2.1 SELECT 6"));
    EXPECT_THAT(wire.events(), Contains("2.1 completed 2"));
}

TEST(MysqlConversation, ALocalFileStreamsUntilAnEmptyPacket) {
    Wire wire;
    wire.log_in(plain);
    wire.from_client(query("LOAD DATA LOCAL INFILE 'x' INTO TABLE t"));
    wire.from_server(packet(1, "\xfbx"));
    wire.from_client(packet(2, "a,b\n") + packet(3, ""));
    EXPECT_EQ(wire.phase(), Phase::busy);
    wire.from_server(ok(4, autocommit, 1));
    EXPECT_EQ(wire.phase(), Phase::idle);
    EXPECT_THAT(wire.events(), Contains("1.1 completed 1"));
}

TEST(MysqlConversation, ALocalFileMayBeRefusedHalfWay) {
    Wire wire;
    wire.log_in(plain);
    wire.from_client(query("LOAD DATA LOCAL INFILE 'x' INTO TABLE t"));
    wire.from_server(packet(1, "\xfbx"));
    wire.from_client(packet(2, "a,b\n"));
    wire.from_server(test::error(3, 1148));
    wire.from_client(packet(3, "\x03more of the file") + packet(4, ""));
    wire.exchange(query("SELECT 1"), result_set(1, 1));
    EXPECT_EQ(wire.phase(), Phase::idle);
    EXPECT_FALSE(wire.blind);
}

TEST(MysqlConversation, AnErrorOutOfTheBlueIsTheServersGoodBye) {
    Wire wire;
    wire.log_in(plain);
    wire.from_server(test::error(0, 4031, "08S01", "disconnected because of inactivity"));
    EXPECT_FALSE(wire.blind);
    EXPECT_THAT(wire.to_client, HasSubstr("inactivity"));
}

TEST(MysqlConversation, ACommandMayCrossTheServersGoodBye) {
    Wire wire;
    wire.log_in(plain);
    wire.from_client(query("SELECT 1"));
    wire.from_server(test::error(0, 4031, "08S01", "disconnected because of inactivity"));
    EXPECT_FALSE(wire.blind);
    EXPECT_THAT(wire.to_client, HasSubstr("inactivity"));
}

TEST(MysqlConversation, ChangeUserIsADialogue) {
    Wire wire;
    wire.log_in(plain);
    wire.from_client(command(0x11, "bob"));
    wire.from_server(packet(1, std::string("\xfe"
                                           "ed25519\0scramble",
                                           17)));
    wire.from_client(packet(2, "signature"));
    EXPECT_EQ(wire.phase(), Phase::busy);
    wire.from_server(ok(3));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlConversation, ARowMayStartLikeAnEndMarker) {
    Wire wire;
    wire.log_in(modern);
    wire.from_client(query(number(0, 1) + number(1, 1) + "SELECT a"));
    const std::string huge = "\xfe" + number(1 << 24, 8) + std::string(1 << 24, 'x');
    wire.from_server(packet(1, number(1, 1) + number(1, 1)) + column(2) + test::frames(3, huge));
    EXPECT_EQ(wire.phase(), Phase::busy);
    wire.from_server(end_ok(5));
    EXPECT_EQ(wire.phase(), Phase::idle);
    EXPECT_THAT(wire.events(), Contains("1.1 completed 1"));
}

TEST(MysqlConversation, ATextBeyondTheBoundIsCutAndPasses) {
    Limits limits;
    limits.observed_message = 16;
    Wire wire({}, limits);
    wire.log_in(plain);
    const std::string long_query = query("SELECT 'a long literal'");
    wire.exchange(long_query, ok(1));
    EXPECT_EQ(wire.to_server, long_query);
    EXPECT_THAT(wire.events(), Contains("1.1 SELECT 'a long  …"));
}

struct Surprise {
    std::string_view what;
    std::string from_client;
    std::string from_server;
    Note note;
};

TEST(MysqlConversation, AnySurpriseMakesTheSessionBlindAndLosesNoByte) {
    const std::vector<Surprise> surprises{
        {"a reply that nothing asked for", "", ok(1), Note::desynchronised},
        {"a reply out of sequence", query("SELECT 1"), ok(7), Note::desynchronised},
        {"a command out of sequence", packet(4, "\x03SELECT 1"), "", Note::desynchronised},
        {"an empty command", packet(0, ""), "", Note::desynchronised},
        {"an unknown command", command(0x77), "", Note::unknown_message},
        {"replication", command(0x12, number(4, 10)), "", Note::replication},
        {"a clone", command(0x20), "", Note::replication},
        {"an empty reply", query("SELECT 1"), packet(1, ""), Note::desynchronised},
        {"a broken OK", query("SELECT 1"), packet(1, number(0, 2)), Note::desynchronised},
        {"a broken number of columns", query("SELECT 1"), packet(1, "\xfc"), Note::desynchronised},
        {"no columns", query("SELECT 1"), packet(1, "\xfc" + number(0, 2)), Note::desynchronised},
        {"rows where EOF was due", query("SELECT 1"),
         packet(1, number(1, 1)) + column(2) + row(3, "x"), Note::desynchronised},
        {"a file asked for in a pipeline", query("LOAD DATA") + query("SELECT 1"),
         packet(1, "\xfbx"), Note::desynchronised},
    };
    for (const Surprise& one : surprises) {
        SCOPED_TRACE(one.what);
        Wire wire;
        wire.log_in(plain);
        wire.from_client(one.from_client);
        wire.from_server(one.from_server);
        EXPECT_TRUE(wire.blind);
        EXPECT_EQ(wire.phase(), Phase::blind);
        EXPECT_EQ(wire.notes().back(), one.note);
        wire.from_server("anything");
        wire.from_client("whatever");
        wire.close();
        EXPECT_EQ(wire.to_server, one.from_client + "whatever");
        EXPECT_EQ(wire.to_client, one.from_server + "anything");
    }
}

TEST(MysqlConversation, APipelineBeyondTheBoundIsRelayedBlind) {
    Limits limits;
    limits.pipelined_replies = 2;
    Wire wire({}, limits);
    wire.log_in(plain);
    wire.from_client(command(0x0e) + command(0x0e));
    EXPECT_FALSE(wire.blind);
    wire.from_client(command(0x0e));
    EXPECT_TRUE(wire.blind);
    EXPECT_EQ(wire.notes().back(), Note::pipeline_too_deep);
}

TEST(MysqlConversation, ShutdownSaysGoodByeToBothEndsWhenIdle) {
    Wire wire;
    wire.log_in(plain);
    wire.shut_down();
    EXPECT_EQ(wire.to_client, test::error(0, 1053, "08S01", "Server shutdown in progress"));
    EXPECT_EQ(wire.to_server, command(0x01));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "finish"));
}

TEST(MysqlConversation, ShutdownPutsNothingIntoTheMidstOfAReply) {
    Wire wire;
    wire.log_in(plain);
    wire.from_client(query("SELECT 1"));
    wire.to_server.clear();
    wire.shut_down();
    EXPECT_EQ(wire.to_client, "");
    EXPECT_EQ(wire.to_server, "");
}

TEST(MysqlConversation, AnOpenTransactionIsNotIdle) {
    Wire wire;
    wire.log_in(plain);
    wire.exchange(query("BEGIN"), ok(1, autocommit | in_transaction));
    EXPECT_EQ(wire.phase(), Phase::busy);
    wire.exchange(query("COMMIT"), ok(1));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlConversation, ASavepointHasOneNameHoweverItIsSpelled) {
    Wire wire;
    wire.log_in(plain);
    for (const std::string_view text : {"BEGIN", "SAVEPOINT Sp", "ROLLBACK TO `sP`"}) {
        wire.exchange(query(text), ok(1, autocommit | in_transaction));
    }
    EXPECT_THAT(wire.events(), Contains("1.2 savepoint set sp"));
    EXPECT_THAT(wire.events(), Contains("1.3 savepoint roll back sp"));
}

}  // namespace
}  // namespace isotap::mysql
