#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/postgres/talk.hpp"

namespace isotap::postgres::test {
namespace {

using protocol::Phase;
using protocol::TlsPolicy;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string ssl_request = packet(ssl_request_code);
const std::string gss_request = packet(gss_request_code);

Talk::Setting with(TlsPolicy policy, protocol::ServerTls server = protocol::ServerTls::prefer) {
    Talk::Setting setting;
    setting.tls = {policy, true, server};
    return setting;
}

TEST(Handshake, PassesTheStartupPacketAndItsAnswerUntouched) {
    Talk talk;
    talk.client(startup()).server(welcome());
    EXPECT_EQ(talk.to_server, startup());
    EXPECT_EQ(talk.to_client, welcome());
    EXPECT_THAT(talk.asked, ElementsAre("dial"));
    EXPECT_THAT(talk.notes, ElementsAre("authenticated"));
    EXPECT_EQ(talk.phase(), Phase::idle);
}

TEST(Handshake, AsksTheServerNothingForAClientThatSaysNothing) {
    Talk talk;
    EXPECT_THAT(talk.asked, IsEmpty());
    talk.client(startup().substr(0, 6));
    EXPECT_THAT(talk.asked, IsEmpty());
    EXPECT_EQ(talk.phase(), Phase::handshake);
}

TEST(Handshake, ChainsOfRequestsGoToTheServerOneByOne) {
    for (const std::size_t slice : {0U, 1U, 3U}) {
        Talk::Setting setting;
        setting.slice = slice;
        Talk talk(setting);
        talk.client(gss_request).server("N").client(ssl_request).server("N").client(startup());
        EXPECT_EQ(talk.to_server, gss_request + ssl_request + startup());
        EXPECT_EQ(talk.to_client, "NN");
        talk.server(welcome());
        EXPECT_EQ(talk.phase(), Phase::idle);
    }
}

TEST(Handshake, AnImpatientClientIsServedInOrder) {
    Talk talk;
    talk.client(gss_request + ssl_request + startup() + query("select 1"));
    EXPECT_EQ(talk.to_server, gss_request);
    talk.server("N");
    EXPECT_EQ(talk.to_server, gss_request + ssl_request);
    talk.server("N");
    EXPECT_EQ(talk.to_server, gss_request + ssl_request + startup() + query("select 1"));
    talk.server(welcome() + complete("SELECT 1") + ready());
    EXPECT_EQ(talk.phase(), Phase::idle);
}

TEST(Handshake, OpaqueTlsIsRelayedUnread) {
    Talk talk;
    talk.client(ssl_request).server("S").client("\x16hello").server("\x16hello too");
    EXPECT_EQ(talk.to_server, ssl_request + "\x16hello");
    EXPECT_EQ(talk.to_client, "S\x16hello too");
    EXPECT_THAT(talk.notes, ElementsAre("opaque_tls"));
    EXPECT_EQ(talk.phase(), Phase::blind);
}

TEST(Handshake, MirroredTlsIsSettledWithTheServerFirst) {
    Talk talk(with(TlsPolicy::mirror));
    talk.client(ssl_request);
    EXPECT_EQ(talk.to_server, ssl_request);
    talk.server("S");
    EXPECT_THAT(talk.asked, ElementsAre("dial", "start_tls server"));
    EXPECT_EQ(talk.to_client, "");
    talk.tls_started(Side::server);
    EXPECT_EQ(talk.to_client, "S");
    EXPECT_THAT(talk.asked, ElementsAre("dial", "start_tls server", "start_tls client"));
    talk.tls_started(Side::client).client(startup()).server(welcome());
    EXPECT_EQ(talk.to_server, ssl_request + startup());
    EXPECT_EQ(talk.phase(), Phase::idle);
}

TEST(Handshake, MirrorsAServerThatDeclines) {
    Talk talk(with(TlsPolicy::mirror));
    talk.client(ssl_request).server("N").client(startup()).server(welcome());
    EXPECT_EQ(talk.to_client, "N" + welcome());
    EXPECT_EQ(talk.phase(), Phase::idle);
}

TEST(Handshake, ClearBytesBehindTheTlsRequestAreNotTakenForEncrypted) {
    Talk talk(with(TlsPolicy::mirror));
    talk.client(ssl_request + startup()).server("S").tls_started(Side::server);
    EXPECT_THAT(talk.to_client, HasSubstr("received unencrypted data after SSL request"));
    EXPECT_THAT(talk.to_client, HasSubstr("08P01"));
    EXPECT_EQ(talk.asked.back(), "finish");
    EXPECT_EQ(talk.to_server, ssl_request);
}

TEST(Handshake, ClearBytesOfTheServerBehindItsAnswerAreRefused) {
    Talk talk(with(TlsPolicy::mirror));
    talk.client(ssl_request).server("S" + welcome());
    EXPECT_THAT(talk.to_client, HasSubstr("unencrypted data"));
    EXPECT_EQ(talk.asked.back(), "finish");
}

TEST(Handshake, TellsTheClientWhyTlsWithTheServerFailedOnceItCanRead) {
    Talk talk(with(TlsPolicy::mirror));
    talk.client(ssl_request).server("S").tls_failed(Side::server);
    EXPECT_EQ(talk.to_client, "S");
    talk.tls_started(Side::client).client(startup());
    EXPECT_THAT(talk.to_client, HasSubstr("TLS with the server failed: bad certificate"));
    EXPECT_EQ(talk.asked.back(), "finish");
}

TEST(Handshake, SameCertificateRefusesAnother) {
    Talk talk(with(TlsPolicy::same_certificate));
    talk.client(ssl_request).server("S").tls_started(Side::server, {false, false});
    talk.tls_started(Side::client).client(startup());
    EXPECT_THAT(talk.to_client, HasSubstr("another certificate"));

    Talk same(with(TlsPolicy::same_certificate));
    same.client(ssl_request).server("S").tls_started(Side::server, {false, true});
    same.tls_started(Side::client).client(startup()).server(welcome());
    EXPECT_EQ(same.phase(), Phase::idle);
}

TEST(Handshake, DirectTlsIsMirroredAndNeedsItsApplicationProtocol) {
    const std::string hello = "\x16\x03\x01";
    Talk talk(with(TlsPolicy::mirror));
    talk.client(hello);
    EXPECT_THAT(talk.asked, ElementsAre("dial", "start_tls server"));
    talk.tls_started(Side::server, {true, false});
    EXPECT_EQ(talk.asked.back(), "start_tls client");
    talk.tls_started(Side::client, {true, false}).client(startup()).server(welcome());
    EXPECT_EQ(talk.to_server, startup());
    EXPECT_EQ(talk.phase(), Phase::idle);

    Talk without(with(TlsPolicy::mirror));
    without.client(hello).tls_started(Side::server).tls_started(Side::client, {false, false});
    EXPECT_THAT(without.to_client, HasSubstr("without ALPN"));
    EXPECT_EQ(without.asked.back(), "finish");
}

TEST(Handshake, DirectTlsWithAServerThatKnowsNoneEndsAsThere) {
    Talk talk(with(TlsPolicy::mirror));
    talk.client("\x16\x03\x01").tls_failed(Side::server);
    EXPECT_EQ(talk.to_client, "");
    EXPECT_EQ(talk.asked.back(), "finish");
}

TEST(Handshake, DirectTlsStaysOpaqueWithoutACertificate) {
    Talk talk;
    talk.client("\x16hello");
    EXPECT_EQ(talk.to_server, "\x16hello");
    EXPECT_TRUE(talk.blind());
}

TEST(Handshake, TerminatedTlsDecidesEachLegForItself) {
    Talk talk(with(TlsPolicy::terminate, protocol::ServerTls::disable));
    talk.client(ssl_request);
    EXPECT_EQ(talk.to_client, "S");
    EXPECT_EQ(talk.to_server, "");
    talk.tls_started(Side::client).client(startup()).server(welcome());
    EXPECT_EQ(talk.to_server, startup());
    EXPECT_EQ(talk.phase(), Phase::idle);

    Talk clear(with(TlsPolicy::terminate, protocol::ServerTls::prefer));
    clear.client(startup());
    EXPECT_EQ(clear.to_server, ssl_request);
    clear.server("S").tls_started(Side::server).server(welcome());
    EXPECT_EQ(clear.to_server, ssl_request + startup());
    EXPECT_EQ(clear.phase(), Phase::idle);

    Talk required(with(TlsPolicy::terminate, protocol::ServerTls::require));
    required.client(startup()).server("N");
    EXPECT_THAT(required.to_client, HasSubstr("offers no TLS"));
}

TEST(Handshake, ACancelRequestReachesTheServerAndNothingIsReadInto) {
    const std::string cancel = packet(cancel_request_code, std::string(260, '\x7f'));
    Talk talk;
    talk.client(cancel);
    EXPECT_EQ(talk.to_server, cancel);
    EXPECT_THAT(talk.notes, ElementsAre("cancel_request"));
    EXPECT_TRUE(talk.blind());
}

TEST(Handshake, ReplicationIsRelayedBlind) {
    const std::string wanted = startup("user\0app\0replication\0true\0"sv);
    Talk talk;
    talk.client(wanted).server("anything").client("at all");
    EXPECT_EQ(talk.to_server, wanted + "at all");
    EXPECT_EQ(talk.to_client, "anything");
    EXPECT_THAT(talk.notes, ElementsAre("replication"));
}

TEST(Handshake, GarbageEndsTheSessionWithoutAWordAsTheServerDoes) {
    for (const std::string_view garbage :
         {std::string_view("GET / HTTP/1.1\r\n\r\n"), "\x7f\xff\xff\xff"sv, "\0\0\0\7"sv,
          "\0\0\0\0\0\0\0\0"sv}) {
        Talk talk;
        talk.client(garbage);
        EXPECT_EQ(talk.to_client, "");
        EXPECT_THAT(talk.asked, ElementsAre("finish"));
        EXPECT_THAT(talk.notes, ElementsAre("refused_packet"));
    }
}

TEST(Handshake, BytesBeforeAuthenticationAreBounded) {
    Talk talk;
    talk.client(gss_request);
    talk.client(std::string(30'000, 'x'));
    EXPECT_EQ(talk.asked.back(), "finish");
}

TEST(Handshake, AnUnknownVersionIsTheServersAffair) {
    const std::string old = packet(2U << 16U, std::string(288, '\0'));
    Talk talk;
    talk.client(old).server(message('E', "what the server says about it"));
    EXPECT_EQ(talk.to_server, old);
    EXPECT_THAT(talk.to_client, HasSubstr("what the server says about it"));
}

TEST(Handshake, AnUnreachableServerIsToldInTheDialect) {
    Talk::Setting setting;
    setting.dial_fails = true;
    Talk talk(setting);
    talk.client(ssl_request);
    EXPECT_EQ(talk.to_client, "N") << "a client that may go on without TLS is told the reason then";
    talk.client(startup());
    EXPECT_THAT(talk.to_client, HasSubstr("08006"));
    EXPECT_THAT(talk.to_client, HasSubstr("the server cannot be reached: refused"));
    EXPECT_THAT(talk.asked, ElementsAre("dial", "finish"));
}

TEST(Handshake, AnEarlyErrorOfTheServerReachesTheClientUnchanged) {
    Talk talk;
    talk.client(startup()).server(error("53300", "FATAL"));
    EXPECT_EQ(talk.to_client, error("53300", "FATAL"));
    EXPECT_EQ(talk.phase(), Phase::handshake);
}

}  // namespace
}  // namespace isotap::postgres::test
