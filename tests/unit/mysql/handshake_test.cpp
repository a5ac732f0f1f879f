#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/mysql/session.hpp"
#include "tests/unit/mysql/packets.hpp"
#include "tests/unit/mysql/wire.hpp"

namespace isotap::mysql {
namespace {

using protocol::Note;
using protocol::Phase;
using protocol::ServerTls;
using protocol::Side;
using protocol::TlsPolicy;
using test::Wire;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Capabilities plain = test::plain_capabilities;
constexpr Capabilities with_tls = plain.with(Capability::ssl);

TEST(MysqlHandshake, DialsBeforeAnybodySpeaks) {
    const Wire wire;
    EXPECT_THAT(wire.other_actions, ElementsAre("dial"));
    EXPECT_EQ(wire.phase(), Phase::handshake);
}

TEST(MysqlHandshake, PassesEveryByteOfBothSides) {
    Wire wire;
    wire.dialled();
    const std::string hello = test::greeting(plain);
    const std::string answer = test::handshake_response(plain);
    const std::string switched = test::packet(2, std::string("\xfe"
                                                             "caching_sha2_password\0salt",
                                                             27));
    const std::string proof = test::packet(3, "12345678901234567890123456789012");
    const std::string fast = test::packet(4, "\x01\x03");
    wire.from_server(hello);
    wire.from_client(answer);
    wire.from_server(switched);
    wire.from_client(proof);
    EXPECT_EQ(wire.phase(), Phase::handshake);
    wire.from_server(fast + test::ok(5));
    EXPECT_EQ(wire.to_client, hello + switched + fast + test::ok(5));
    EXPECT_EQ(wire.to_server, answer + proof);
    EXPECT_EQ(wire.phase(), Phase::idle);
    EXPECT_THAT(wire.notes(), ElementsAre(Note::authenticated));
    EXPECT_THAT(wire.events(), ElementsAre("session ann@shop "));
}

TEST(MysqlHandshake, NamesTheProgramAmongTheAttributes) {
    const Capabilities capabilities = plain.with(Capability::connect_attributes);
    Wire wire;
    wire.dialled();
    wire.from_server(test::greeting(capabilities));
    wire.from_client(test::handshake_response(
        capabilities, 1, "ann", "shop",
        test::length_encoded("_os") + test::length_encoded("x") +
            test::length_encoded("program_name") + test::length_encoded("till")));
    wire.from_server(test::ok(2));
    EXPECT_THAT(wire.events(), ElementsAre("session ann@shop till"));
}

TEST(MysqlHandshake, APluginMaySendAZeroThatIsNoOk) {
    Wire wire;
    wire.dialled();
    wire.from_server(test::greeting(plain));
    wire.from_client(test::handshake_response(plain));
    wire.from_server(test::packet(2, std::string("\0salt", 5)));
    EXPECT_EQ(wire.phase(), Phase::handshake);
    wire.from_client(test::packet(3, "signature"));
    wire.from_server(test::ok(4));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlHandshake, AnErrorInsteadOfAGreetingPasses) {
    // 'Too many connections', as servers say it before they know the client: without a SQLSTATE.
    const std::string refusal = test::packet(0, "\xff\x10\x04Too many connections");
    Wire wire;
    wire.dialled();
    wire.from_server(refusal);
    EXPECT_EQ(wire.to_client, refusal);
    EXPECT_FALSE(wire.blind);
}

TEST(MysqlHandshake, ARefusedLoginPassesAndIsNoSession) {
    Wire wire;
    wire.dialled();
    wire.from_server(test::greeting(plain));
    wire.from_client(test::handshake_response(plain));
    wire.from_server(test::error(2, 1045, "28000", "Access denied"));
    wire.close();
    EXPECT_THAT(wire.to_client, HasSubstr("Access denied"));
    EXPECT_THAT(wire.events(), IsEmpty());
}

TEST(MysqlHandshake, AClientMaySpeakBeforeTheGreeting) {
    Wire wire;
    wire.dialled();
    wire.from_client(test::handshake_response(plain));
    EXPECT_EQ(wire.to_server, "");
    wire.from_server(test::greeting(plain));
    EXPECT_EQ(wire.to_server, test::handshake_response(plain));
}

TEST(MysqlHandshake, ADialThatFailsIsToldInTheDialect) {
    Wire wire;
    wire.dial_failed("connection refused");
    EXPECT_EQ(wire.to_client.substr(3, 9), std::string("\0\xff\x86\x04#08S01", 10).substr(0, 9));
    EXPECT_THAT(wire.to_client, HasSubstr("connection refused"));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "finish"));
}

TEST(MysqlHandshake, OneSessionTooManyIsToldAsTheServerWould) {
    Wire wire;
    wire.dial_failed("", protocol::DialFailure::Kind::too_many_sessions);
    EXPECT_EQ(wire.to_client, test::error(0, 1040, "08004", "Too many connections"));
}

TEST(MysqlHandshake, APacketTooLargeForAHandshakeIsRefusedByItsHeader) {
    Wire wire;
    wire.dialled();
    wire.from_server(test::greeting(plain));
    wire.to_client.clear();
    wire.from_client(test::number(0xffffff, 3) + test::number(1, 1));
    EXPECT_EQ(wire.to_server, "");
    EXPECT_THAT(wire.to_client, HasSubstr("08S01"));
    EXPECT_EQ(wire.to_client[3], 1) << "the sequence goes on from the greeting";
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "finish"));
}

TEST(MysqlHandshake, AnUnknownGreetingIsNotOurs) {
    Wire wire;
    wire.dialled();
    const std::string old = test::packet(0, std::string("\x09"
                                                        "3.21.0\0",
                                                        8));
    wire.from_server(old + "more");
    EXPECT_TRUE(wire.blind);
    EXPECT_EQ(wire.to_client, old + "more");
}

TEST(MysqlTls, OpaqueLeavesItToTheTwoEnds) {
    Wire wire({TlsPolicy::opaque, false, ServerTls::prefer});
    wire.dialled();
    wire.from_server(test::greeting(with_tls));
    wire.from_client(test::ssl_request(with_tls) + "\x16\x03\x01");
    EXPECT_TRUE(wire.blind);
    EXPECT_EQ(wire.to_server, test::ssl_request(with_tls) + "\x16\x03\x01");
    EXPECT_THAT(wire.notes(), ElementsAre(Note::opaque_tls));
}

TEST(MysqlTls, MirrorDoesOnBothLegsWhatTheClientAsksFor) {
    Wire wire({TlsPolicy::mirror, true, ServerTls::prefer});
    wire.dialled();
    wire.from_server(test::greeting(with_tls));
    EXPECT_EQ(wire.to_client, test::greeting(with_tls));
    // The ClientHello may come in the same breath: it is the TLS engine's.
    wire.from_client(test::ssl_request(with_tls) + "\x16hello");
    EXPECT_EQ(wire.to_server, test::ssl_request(with_tls));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "server tls ", "client tls \x16hello"));
    wire.from_client(test::handshake_response(with_tls, 2));
    wire.from_server(test::ok(3));
    EXPECT_EQ(wire.to_server, test::ssl_request(with_tls) + test::handshake_response(with_tls, 2));
    EXPECT_EQ(wire.to_client, test::greeting(with_tls) + test::ok(3));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlTls, SameCertificateIsHeldToItsName) {
    for (const bool same : {true, false}) {
        Wire wire({TlsPolicy::same_certificate, true, ServerTls::prefer});
        wire.tls_facts.same_certificate = same;
        wire.dialled();
        wire.from_server(test::greeting(with_tls));
        wire.from_client(test::ssl_request(with_tls));
        EXPECT_EQ(wire.other_actions.back(), same ? "client tls " : "finish");
    }
}

TEST(MysqlTls, AFailureOfTheClientsTlsEndsTheSession) {
    Wire wire({TlsPolicy::mirror, true, ServerTls::prefer});
    wire.dialled();
    wire.from_server(test::greeting(with_tls));
    wire.to_client.clear();
    wire.tls_failed(Side::client);
    EXPECT_EQ(wire.to_client, "") << "the client is in the midst of another protocol";
    EXPECT_EQ(wire.other_actions.back(), "finish");
}

TEST(MysqlTls, MirrorWithoutACertificateOffersNoTls) {
    Wire wire({TlsPolicy::mirror, false, ServerTls::prefer});
    wire.dialled();
    wire.from_server(test::greeting(with_tls));
    EXPECT_EQ(wire.to_client, test::greeting(plain));
}

TEST(MysqlTls, TerminateRenumbersWhereOnlyTheClientHasTls) {
    Wire wire({TlsPolicy::terminate, true, ServerTls::disable});
    wire.dialled();
    wire.from_server(test::greeting(plain));
    EXPECT_EQ(wire.to_client, test::greeting(with_tls));
    wire.from_client(test::ssl_request(with_tls));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "client tls "));
    wire.from_client(test::handshake_response(with_tls, 2));
    EXPECT_EQ(wire.to_server, test::handshake_response(plain, 1));
    wire.from_server(test::packet(2, "\x01more"));
    wire.from_client(test::packet(4, "proof"));
    wire.from_server(test::ok(4));
    EXPECT_EQ(wire.to_server, test::handshake_response(plain, 1) + test::packet(3, "proof"));
    EXPECT_EQ(wire.to_client, test::greeting(with_tls) + test::packet(3, "\x01more") + test::ok(5));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlTls, TerminateAsksForTlsWhereOnlyTheServerHasIt) {
    Wire wire({TlsPolicy::terminate, false, ServerTls::require});
    wire.dialled();
    wire.from_server(test::greeting(with_tls));
    EXPECT_EQ(wire.to_client, test::greeting(plain));
    wire.from_client(test::handshake_response(plain, 1));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "server tls "));
    EXPECT_EQ(wire.to_server, test::ssl_request(with_tls) + test::handshake_response(with_tls, 2));
    wire.from_server(test::ok(3));
    EXPECT_EQ(wire.to_client, test::greeting(plain) + test::ok(2));
    EXPECT_EQ(wire.phase(), Phase::idle);
}

TEST(MysqlTls, ARequiredTlsThatTheServerLacksIsAnError) {
    Wire wire({TlsPolicy::terminate, false, ServerTls::require});
    wire.dialled();
    wire.from_server(test::greeting(plain));
    EXPECT_THAT(wire.to_client, HasSubstr("isotap must use TLS"));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "finish"));
}

TEST(MysqlTls, TlsThatNobodyOfferedIsRefused) {
    Wire wire({TlsPolicy::mirror, false, ServerTls::prefer});
    wire.dialled();
    wire.from_server(test::greeting(with_tls));
    wire.from_client(test::ssl_request(with_tls));
    EXPECT_EQ(wire.to_server, "");
    EXPECT_THAT(wire.to_client, HasSubstr("TLS that nobody offered"));
}

TEST(MysqlTls, CapabilitiesThatChangeWithTlsMakeTheSessionBlind) {
    Wire wire({TlsPolicy::mirror, true, ServerTls::prefer});
    const Capabilities more = with_tls.with(Capability::deprecate_eof);
    wire.dialled();
    wire.from_server(test::greeting(more));
    wire.from_client(test::ssl_request(with_tls));
    wire.from_client(test::handshake_response(more, 2));
    wire.from_server(test::ok(3));
    EXPECT_TRUE(wire.blind);
    EXPECT_EQ(wire.phase(), Phase::blind);
    EXPECT_THAT(wire.to_client, HasSubstr(test::ok(3)));
}

TEST(MysqlHandshake, ALoginThatTakesTooLongIsToldSo) {
    Wire wire;
    wire.dialled();
    wire.from_server(test::greeting(plain));
    wire.shut_down();
    EXPECT_THAT(wire.to_client, HasSubstr("Got timeout"));
    EXPECT_THAT(wire.other_actions, ElementsAre("dial", "finish"));
}

}  // namespace
}  // namespace isotap::mysql
