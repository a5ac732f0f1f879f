#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "protocol/mysql/command.hpp"
#include "protocol/mysql/length_encoded.hpp"
#include "protocol/mysql/messages/error_packet.hpp"
#include "protocol/mysql/messages/execute_request.hpp"
#include "protocol/mysql/messages/greeting.hpp"
#include "protocol/mysql/messages/handshake_response.hpp"
#include "protocol/mysql/messages/load_counts.hpp"
#include "protocol/mysql/messages/ok_packet.hpp"
#include "protocol/mysql/messages/query_request.hpp"
#include "protocol/mysql/messages/session_track.hpp"
#include "protocol/mysql/server_version.hpp"
#include "tests/unit/mysql/packets.hpp"

namespace isotap::mysql {
namespace {

using test::length_encoded;
using test::number;

Bytes payload_of(const std::string& packet) {
    return as_bytes(packet).subspan(4);
}

TEST(LengthEncoded, ReadsEveryWidth) {
    const std::string bytes = std::string("\xfa") + "\xfc" + number(0x1234, 2) + "\xfd" +
                              number(0x123456, 3) + "\xfe" + number(0x123456789abcdef0, 8);
    ByteReader reader(as_bytes(bytes));
    EXPECT_EQ(length_encoded_number(reader), 0xfaU);
    EXPECT_EQ(length_encoded_number(reader), 0x1234U);
    EXPECT_EQ(length_encoded_number(reader), 0x123456U);
    EXPECT_EQ(length_encoded_number(reader), 0x123456789abcdef0U);
    EXPECT_TRUE(reader.ok() && reader.at_end());
}

TEST(LengthEncoded, NullAndErrorMarksAreNoNumbers) {
    for (const std::string_view mark : {"\xfb", "\xff"}) {
        ByteReader reader(as_bytes(mark));
        length_encoded_number(reader);
        EXPECT_FALSE(reader.ok());
    }
}

TEST(Greeting, ReadsBothHalvesOfTheCapabilities) {
    const std::string bytes = test::greeting(Capabilities(0x81a2b3c4U, 0), "8.4.0", 77);
    const auto greeting = decode_greeting(payload_of(bytes));
    ASSERT_TRUE(greeting);
    EXPECT_EQ(greeting->capabilities, Capabilities(0x81a2b3c4U, 0));
    EXPECT_EQ(greeting->server_version, "8.4.0");
    EXPECT_EQ(greeting->connection_id, 77U);
    EXPECT_TRUE(greeting->status.has(StatusFlag::autocommit));
}

TEST(Greeting, ReservedBytesAreCapabilitiesOnlyWhereMariaDbSaysSo) {
    const Capabilities mariadb =
        Capabilities(0, 0x1d).with(Capability::protocol_41).with(Capability::plugin_auth);
    EXPECT_EQ(decode_greeting(payload_of(test::greeting(mariadb)))->capabilities, mariadb);
    const Capabilities mysql = mariadb.with(Capability::long_password);
    EXPECT_FALSE(decode_greeting(payload_of(test::greeting(mysql)))
                     ->capabilities.has(Capability::mariadb_progress));
}

TEST(Greeting, IsReadAtNoLengthButItsOwn) {
    const std::string bytes = test::greeting(test::plain_capabilities);
    const Bytes payload = payload_of(bytes);
    // Servers of before 4.1 stop behind the low capabilities, others before the second half of the
    // scramble; some forget the end of the plugin's name.
    for (std::size_t size = 0; size < 52; ++size) {
        EXPECT_EQ(decode_greeting(payload.first(size)).has_value(), size == 23 || size == 39)
            << size;
    }
}

/// Two parameters, of which the second is NULL.
std::string execution(std::string_view types) {
    return "\x17" + number(9, 4) + number(0, 1) + number(1, 4) + "\x02" + std::string(types) +
           "\x2a";
}

TEST(ExecuteRequest, TypesAreToldOnce) {
    const std::string told = execution(std::string("\x01\x01\0\x03\0", 5));
    const auto first = decode_execute(as_bytes(told), 2, {});
    ASSERT_TRUE(first);
    EXPECT_EQ(first->statement, 9U);
    EXPECT_EQ(as_text(first->types), std::string_view("\x01\0\x03\0", 4));
    const std::string later = execution(std::string(1, '\0'));
    const auto second = decode_execute(as_bytes(later), 2, {});
    ASSERT_TRUE(second);
    EXPECT_TRUE(second->types.empty());
    std::string expected = told;
    expected.replace(1, 4, number(0x01020304, 4));
    const auto made = execute_of(0x01020304, as_bytes(later), *second, first->types);
    EXPECT_EQ(as_text(made), expected);
    EXPECT_EQ(as_text(execute_of(0x01020304, as_bytes(told), *first, {})), expected);
}

TEST(ExecuteRequest, NamesTravelWithAttributes) {
    const Capabilities attributes = Capabilities().with(Capability::query_attributes);
    const std::string packet = "\x17" + number(9, 4) + "\x08" + number(1, 4) + number(1, 1) +
                               number(0, 1) + "\x01" + number(3, 2) + "\x02no" + number(42, 4);
    const auto request = decode_execute(as_bytes(packet), 1, attributes);
    ASSERT_TRUE(request);
    EXPECT_EQ(as_text(request->types), number(3, 2) + "\x02no");
    const auto made = execute_with(*request, request->types, std::vector<std::size_t>{0});
    ASSERT_TRUE(made);
    EXPECT_EQ(as_text(*made), "\x17" + number(0, 4) + "\x08" + number(1, 4) + number(1, 1) +
                                  number(0, 1) + "\x01" + number(3, 2) + number(0, 1) +
                                  number(42, 4));
    EXPECT_FALSE(decode_execute(as_bytes(execution(std::string(1, '\0'))), 2, attributes));
}

/// Values as they came: a text, a number and NULL.
TEST(ExecuteRequest, GivesSomeOfItsValuesToAnother) {
    const std::string types = number(253, 2) + number(3, 2) + number(8, 2);
    const std::string packet = "\x17" + number(9, 4) + number(0, 1) + number(1, 4) + "\x04\x01" +
                               types +
                               "\x03"
                               "abc" +
                               number(42, 4);
    const auto request = decode_execute(as_bytes(packet), 3, {});
    ASSERT_TRUE(request);
    const auto some = [&](const std::vector<std::size_t>& chosen) {
        auto made = execute_with(*request, request->types, chosen);
        if (made) name_statement(0x01020304, *made);
        return made ? std::string(as_text(*made)) : "none";
    };
    const std::string head = "\x17" + number(0x01020304, 4) + number(0, 1) + number(1, 4);
    EXPECT_EQ(some({2, 1}), head + "\x01\x01" + number(8, 2) + number(3, 2) + number(42, 4));
    EXPECT_EQ(some({0}), head + number(0, 1) + "\x01" + number(253, 2) +
                             "\x03"
                             "abc");
    EXPECT_EQ(some({3}), "none");
    EXPECT_FALSE(execute_with(*request, request->types.first(4), std::vector<std::size_t>{0}));
    const std::string with_more = packet + "x";
    const auto longer = decode_execute(as_bytes(with_more), 3, {});
    EXPECT_FALSE(execute_with(*longer, longer->types, std::vector<std::size_t>{0}));
}

TEST(ExecuteRequest, IsReadAtNoLengthButItsOwn) {
    const std::string packet = execution(std::string("\x01\x01\0\x03\0", 5));
    for (std::size_t size = 0; size + 1 < packet.size(); ++size) {
        EXPECT_FALSE(decode_execute(as_bytes(packet).first(size), 2, {})) << size;
    }
    EXPECT_TRUE(decode_execute(as_bytes(packet).first(10), 0, {}));
}

TEST(HandshakeResponse, ReadsUserAndDatabase) {
    const Capabilities capabilities = test::plain_capabilities;
    const std::string bytes = test::handshake_response(capabilities, 1, "bob", "bank");
    const auto response = decode_handshake_response(payload_of(bytes), capabilities);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->user, "bob");
    EXPECT_EQ(response->database, "bank");
    EXPECT_EQ(response->capabilities, capabilities);
    EXPECT_EQ(response->collation, 45);
}

TEST(HandshakeResponse, ABrokenListOfAttributesCostsOnlyTheProgram) {
    const Capabilities capabilities = test::plain_capabilities.with(Capability::connect_attributes);
    const std::string bytes =
        test::handshake_response(capabilities, 1, "bob", "bank", "\xfd\xff\xff\xff");
    const auto response = decode_handshake_response(payload_of(bytes), capabilities);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->user, "bob");
    EXPECT_EQ(response->program, "");
}

TEST(HandshakeResponse, OfBefore41IsNotRead) {
    const std::string old = number(0x0005, 2) + number(0, 3) + "root" + number(0, 1) + "password";
    EXPECT_FALSE(decode_handshake_response(as_bytes(old), test::plain_capabilities));
}

TEST(OkPacket, InfoMayBeBareWithoutSessionTracking) {
    const std::string bare = test::ok(1, test::autocommit, 3, "Rows matched: 3");
    EXPECT_TRUE(decode_ok(payload_of(bare), Capabilities())->info.empty());
    const Capabilities tracking = Capabilities().with(Capability::session_track);
    const std::string coded = test::ok(1, test::autocommit, 3, length_encoded("Rows matched: 3"));
    EXPECT_EQ(decode_ok(payload_of(coded), tracking)->affected_rows, 3U);
    for (const Capabilities& in_force : {Capabilities(), tracking}) {
        EXPECT_EQ(as_text(decode_ok(payload_of(coded), in_force)->info), "Rows matched: 3");
    }
}

TEST(LoadCounts, AreReadInEveryLanguage) {
    for (const char* info :
         {"Records: 30  Deleted: 2  Skipped: 1  Warnings: 4",
          "Datens\xc3\xa4tze: 30  Gel\xc3\xb6scht: 2  Ausgelassen: 1  Warnungen: 4"}) {
        const auto counts = read_load_counts(info);
        ASSERT_TRUE(counts) << info;
        EXPECT_EQ(counts->read, 30U);
        EXPECT_EQ(counts->removed, 2U);
        EXPECT_EQ(counts->skipped, 1U);
        EXPECT_EQ(counts->warnings, 4U);
    }
    for (const char* info : {"", "Rows matched: 1  Changed: 0  Warnings: 0", "1 2 3 4 5",
                             "1 2 3 99999999999999999999"}) {
        EXPECT_FALSE(read_load_counts(info)) << info;
    }
    EXPECT_EQ(read_records("Records: 3  Duplicates: 0  Warnings: 0"), 3U);
    EXPECT_FALSE(read_records(""));
    EXPECT_FALSE(read_records("99999999999999999999"));
}

TEST(OkPacket, AFlagMayPromiseAStateThatDoesNotCome) {
    const std::string bytes = test::ok(1, test::autocommit | test::session_state_changed);
    const auto ok = decode_ok(payload_of(bytes), Capabilities().with(Capability::session_track));
    ASSERT_TRUE(ok);
    EXPECT_TRUE(ok->session_state.empty());
}

TEST(SessionTrack, StepsOverWhatItDoesNotKnow) {
    const std::string state =
        number(99, 1) + length_encoded("redirect") + number(0, 1) +
        length_encoded(length_encoded("autocommit") + length_encoded("ON") +
                       length_encoded("tx_isolation") + length_encoded("SERIALIZABLE")) +
        number(3, 1) + length_encoded("gtid") + number(5, 1) +
        length_encoded(length_encoded("T_______"));
    SessionTrackReader reader(as_bytes(state));
    std::vector<std::string> seen;
    for (Tracked tracked; reader.next(tracked);) {
        seen.push_back(std::string(tracked.name) + "=" + std::string(tracked.value));
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"autocommit=ON", "tx_isolation=SERIALIZABLE",
                                              "=T_______"}));
}

TEST(ErrorPacket, MayLackItsSqlState) {
    const auto error = decode_error(as_bytes(std::string_view("\xff\x10\x04Too many", 11)));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->number, 1040);
    EXPECT_EQ(error->sql_state, history::no_sql_state);
    EXPECT_EQ(error->message, "Too many");
}

TEST(ErrorPacket, IsReadAsItIsWritten) {
    ErrorPacket error;
    error.number = 1053;
    error.sql_state = {'0', '8', 'S', '0', '1'};
    error.message = "Server shutdown in progress";
    std::vector<std::uint8_t> bytes;
    encode_error(error, 3, bytes);
    EXPECT_EQ(as_text(bytes), test::error(3, 1053, "08S01", "Server shutdown in progress"));
}

TEST(QueryRequest, TextStandsBehindTheAttributes) {
    const Capabilities attributes = Capabilities().with(Capability::query_attributes);
    const auto text = [&](const std::string& bytes) {
        return decode_query_text(as_bytes(bytes), attributes);
    };
    EXPECT_EQ(text("\x03" + number(0, 1) + number(1, 1) + "SELECT 1"), "SELECT 1");
    // Three attributes: a text, a NULL and a number of eight bytes.
    EXPECT_EQ(text("\x03" + number(3, 1) + number(1, 1) + number(0b010, 1) + number(1, 1) +
                   number(253, 2) + length_encoded("trace") + number(253, 2) +
                   length_encoded("none") + number(8, 2) + length_encoded("n") +
                   length_encoded("abc") + number(7, 8) + "SELECT 2"),
              "SELECT 2");
    EXPECT_FALSE(text("\x03" + number(200, 1) + number(1, 1) + "x"));
    EXPECT_EQ(decode_query_text(as_bytes(std::string_view("\x03SELECT 3")), Capabilities()),
              "SELECT 3");
}

TEST(ServerVersion, SeesThroughTheDisguiseOfMariaDb) {
    const auto number_of = [](std::string_view text) { return read_server_version(text).number; };
    EXPECT_EQ(number_of("5.5.5-10.11.19-MariaDB-0+deb12u1"), 101'119U);
    EXPECT_EQ(number_of("11.4.2-MariaDB"), 110'402U);
    EXPECT_EQ(number_of("8.0.36"), 80'036U);
    EXPECT_EQ(number_of("8.0.11-TiDB-v8.5.0"), 80'011U);
    EXPECT_EQ(number_of("what"), 0U);
    EXPECT_TRUE(read_server_version("5.5.5-10.11.19-MariaDB").mariadb);
    EXPECT_FALSE(read_server_version("5.5.5").mariadb);
}

TEST(Command, EveryNamedOneHasAShape) {
    for (unsigned code = 0; code < 256; ++code) {
        const auto command = static_cast<Command>(code);
        if (name(command).empty()) {
            EXPECT_EQ(reply_shape(command), ReplyShape::foreign) << code;
        }
    }
    EXPECT_EQ(reply_shape(Command::stmt_send_long_data), ReplyShape::none);
    EXPECT_EQ(reply_shape(Command::binlog_dump_gtid), ReplyShape::foreign);
}

}  // namespace
}  // namespace isotap::mysql
