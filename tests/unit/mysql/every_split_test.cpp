#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/unit/mysql/packets.hpp"
#include "tests/unit/mysql/wire.hpp"

namespace isotap::mysql {
namespace {

using protocol::Side;
using test::autocommit;
using test::in_transaction;
using test::more_results;
using test::number;
using test::ok;
using test::packet;
using test::query;
using test::Wire;

constexpr std::uint16_t open = autocommit | in_transaction;

struct Turn {
    Side from{};
    std::string bytes;
};

/// A conversation with something of everything, from the greeting on.
std::vector<Turn> conversation() {
    const Capabilities capabilities = test::plain_capabilities;
    const std::string prepared =
        packet(1, number(0, 1) + number(7, 4) + number(1, 2) + number(1, 2) + number(0, 3));
    return {
        {Side::server, test::greeting(capabilities)},
        {Side::client, test::handshake_response(capabilities)},
        {Side::server, packet(2, std::string("\xfe"
                                             "sha2\0salt",
                                             10))},
        {Side::client, packet(3, "proof")},
        {Side::server, packet(4, "\x01\x03") + ok(5)},
        {Side::client, query("BEGIN; SELECT a FROM t")},
        {Side::server, ok(1, open | more_results) + test::result_set(2, 2, open)},
        {Side::client, test::command(0x16, "UPDATE t SET a=?")},
        {Side::server, prepared + test::column(2) + test::eof(3) + test::column(4) + test::eof(5)},
        {Side::client, test::command(0x18, number(7, 4) + number(0, 2) + "data") +
                           test::command(0x17, number(7, 4) + number(0, 1) + number(1, 4))},
        {Side::server, ok(1, open, 1)},
        {Side::client, query("LOAD DATA LOCAL INFILE 'f' INTO TABLE t")},
        {Side::server, packet(1,
                              "\xfb"
                              "f")},
        {Side::client, packet(2, "1,2\n") + packet(3, "")},
        {Side::server, ok(4, open, 1)},
        {Side::client, query("INSERT INTO t VALUES (1)")},
        {Side::server, test::error(1, 1062, "23000", "Duplicate entry")},
        {Side::client, query("COMMIT")},
        {Side::server, ok(1)},
        {Side::client, test::command(0x11, "bob")},
        {Side::server, ok(1)},
        {Side::client, test::command(0x01)},
    };
}

struct Passed {
    std::string to_client;
    std::string to_server;
    std::vector<std::string> events;

    friend bool operator==(const Passed&, const Passed&) = default;
};

Passed finish(Wire& wire) {
    EXPECT_FALSE(wire.blind);
    wire.close();
    return {wire.to_client, wire.to_server, wire.events()};
}

Passed run_whole() {
    Wire wire;
    wire.dialled();
    for (const Turn& turn : conversation()) {
        wire.feed(turn.from, turn.bytes);
    }
    return finish(wire);
}

TEST(MysqlSplits, TheSampleSaysWhatItShould) {
    const Passed whole = run_whole();
    std::string to_client;
    std::string to_server;
    for (const Turn& turn : conversation()) {
        (turn.from == Side::client ? to_server : to_client) += turn.bytes;
    }
    EXPECT_EQ(whole.to_client, to_client);
    EXPECT_EQ(whole.to_server, to_server);
    EXPECT_EQ(whole.events,
              (std::vector<std::string>{
                  "session ann@shop ", "1 began", "1 RR default", "1.1 BEGIN", "1.1 completed 0",
                  "1.2 SELECT a FROM t", "1.2 completed 2", "1.3 UPDATE t SET a=?",
                  "1.3 completed 1", "1.4 LOAD DATA LOCAL INFILE 'f' INTO TABLE t",
                  "1.4 completed 1", "1.5 INSERT INTO t VALUES (1)", "1.5 failed 0 1062 23000",
                  "1.6 COMMIT", "1.6 completed 0", "1 committed", "session ended"}));
}

TEST(MysqlSplits, OneByteAtATimeSaysTheSame) {
    Wire wire;
    wire.dialled();
    for (const Turn& turn : conversation()) {
        for (const char byte : turn.bytes) {
            wire.feed(turn.from, {&byte, 1});
        }
    }
    EXPECT_EQ(finish(wire), run_whole());
}

TEST(MysqlSplits, EverySplitOfEveryTurnSaysTheSame) {
    const Passed whole = run_whole();
    const std::vector<Turn> turns = conversation();
    for (std::size_t split = 0; split < turns.size(); ++split) {
        for (std::size_t at = 1; at < turns[split].bytes.size(); ++at) {
            Wire wire;
            wire.dialled();
            for (std::size_t i = 0; i < turns.size(); ++i) {
                const std::string_view bytes = turns[i].bytes;
                if (i == split) {
                    wire.feed(turns[i].from, bytes.substr(0, at));
                    wire.feed(turns[i].from, bytes.substr(at));
                } else {
                    wire.feed(turns[i].from, bytes);
                }
            }
            ASSERT_EQ(finish(wire), whole) << "turn " << split << " split at " << at;
        }
    }
}

/// Whatever began has ended, once.
void expect_balanced(const std::vector<std::string>& events) {
    std::map<std::string, int> open_things;
    for (const std::string& line : events) {
        const std::string name = line.substr(0, line.find(' '));
        const std::string rest = line.substr(line.find(' ') + 1);
        const bool statement = name.find('.') != std::string::npos;
        if (name == "session" || name == "gap" || rest.rfind("RR", 0) == 0 ||
            rest.rfind("savepoint", 0) == 0) {
            continue;
        }
        const bool ends = statement ? rest.rfind("completed", 0) == 0 ||
                                          rest.rfind("failed", 0) == 0 || rest.rfind("cut", 0) == 0
                                    : rest.rfind("began", 0) != 0;
        open_things[name] += ends ? -1 : 1;
        ASSERT_GE(open_things[name], 0) << line;
    }
    for (const auto& [name, balance] : open_things) {
        EXPECT_EQ(balance, 0) << name;
    }
}

TEST(MysqlSplits, ADeathAtAnyByteLeavesNothingOpen) {
    const std::vector<Turn> turns = conversation();
    for (std::size_t last = 0; last < turns.size(); ++last) {
        for (std::size_t at = 0; at <= turns[last].bytes.size(); ++at) {
            Wire wire;
            wire.dialled();
            for (std::size_t i = 0; i < last; ++i) {
                wire.feed(turns[i].from, turns[i].bytes);
            }
            wire.feed(turns[last].from, std::string_view(turns[last].bytes).substr(0, at));
            wire.close();
            expect_balanced(wire.events());
        }
    }
}

TEST(MysqlSplits, ADamagedByteAnywhereLosesNoByte) {
    const std::vector<Turn> turns = conversation();
    constexpr std::size_t after_handshake = 5;
    for (std::size_t damaged = after_handshake; damaged < turns.size(); ++damaged) {
        for (std::size_t at = 0; at < turns[damaged].bytes.size(); ++at) {
            Wire wire;
            wire.dialled();
            std::map<Side, std::string> sent;
            for (std::size_t i = 0; i < turns.size(); ++i) {
                std::string bytes = turns[i].bytes;
                if (i == damaged) {
                    bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
                }
                wire.feed(turns[i].from, bytes);
                sent[turns[i].from] += bytes;
            }
            wire.close();
            ASSERT_EQ(wire.to_server, sent[Side::client]);
            ASSERT_EQ(wire.to_client, sent[Side::server]);
            expect_balanced(wire.events());
        }
    }
}

}  // namespace
}  // namespace isotap::mysql
