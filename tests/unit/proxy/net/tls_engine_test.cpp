#include "proxy/net/tls_engine.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isotap/proxy/startup_error.hpp"

#include "tests/support/certificates.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::proxy {
namespace {

using Status = TlsEngine::Status;

/// Moves ciphertext between two engines, a few bytes at a time, until neither has any.
void carry(TlsEngine& from, TlsEngine& to, std::size_t slice) {
    const Bytes output = from.output();
    const std::vector<std::uint8_t> bytes(output.begin(), output.end());
    from.sent();
    for (std::size_t at = 0; at < bytes.size(); at += slice) {
        to.feed(Bytes(bytes).subspan(at, std::min(slice, bytes.size() - at)));
    }
}

bool shake_hands(TlsEngine& one, TlsEngine& other, std::size_t slice = 1000) {
    for (int turn = 0; turn < 10; ++turn) {
        const Status a = one.handshake();
        carry(one, other, slice);
        const Status b = other.handshake();
        carry(other, one, slice);
        if (a == Status::failed || b == Status::failed) {
            return false;
        }
        if (a == Status::ok && b == Status::ok) {
            return true;
        }
    }
    return false;
}

std::string read_all(TlsEngine& engine) {
    std::string text;
    std::vector<std::uint8_t> buffer(16 * 1024);
    std::size_t size = 0;
    while (engine.read(buffer, size) == Status::ok) {
        text += as_text(Bytes(buffer).first(size));
    }
    return text;
}

class TlsEngineTest : public testing::Test {
  protected:
    Listener listener(const test::Certificate& certificate) const {
        Listener listener;
        listener.files = {certificate.certificate.string(), certificate.key.string()};
        return listener;
    }

    test::TemporaryFolder folder_;
    test::CertificateAuthority authority_{folder_.path()};
    test::Certificate own_ = authority_.issue("localhost");
};

TEST_F(TlsEngineTest, NothingWaitsInsideOnceItHasBeenEmptied) {
    const TlsContexts contexts(listener(own_));
    for (const std::size_t slice : {1U, 7U, 100'000U}) {
        TlsEngine server(contexts.for_clients());
        TlsEngine client(contexts.for_server(), "localhost", false);
        ASSERT_TRUE(shake_hands(client, server, slice));
        EXPECT_TRUE(server.alpn_agreed());
        const std::string text(100'000, 'q');
        ASSERT_TRUE(client.write(as_bytes(text)));
        carry(client, server, slice);
        EXPECT_EQ(read_all(server), text) << "X-03";
        client.close();
        carry(client, server, slice);
        std::vector<std::uint8_t> buffer(10);
        std::size_t size = 0;
        EXPECT_EQ(server.read(buffer, size), Status::closed);
    }
}

TEST_F(TlsEngineTest, KnowsItsOwnCertificateFromAnother) {
    const TlsContexts own(listener(own_));
    const TlsContexts another(listener(authority_.issue("another")));
    TlsEngine server(own.for_clients());
    TlsEngine client(own.for_server(), "localhost", false);
    ASSERT_TRUE(shake_hands(client, server));
    EXPECT_TRUE(client.peer_shows_certificate_of(own.for_clients()));
    EXPECT_FALSE(client.peer_shows_certificate_of(another.for_clients()));
    EXPECT_FALSE(client.peer_shows_certificate_of(nullptr));
}

TEST_F(TlsEngineTest, VerifiesAsTheUrlAsks) {
    Listener trusting = listener(own_);
    trusting.upstream.verify_certificate = true;
    trusting.upstream.root_certificate = authority_.root().string();
    const TlsContexts contexts(trusting);
    {
        TlsEngine server(contexts.for_clients());
        TlsEngine client(contexts.for_server(), "localhost", true);
        EXPECT_TRUE(shake_hands(client, server));
    }
    {
        TlsEngine server(contexts.for_clients());
        TlsEngine client(contexts.for_server(), "db.example", true);
        EXPECT_FALSE(shake_hands(client, server));
        EXPECT_NE(client.failure().find("hostname mismatch"), std::string::npos)
            << client.failure();
    }
    {
        test::TemporaryFolder elsewhere;
        const test::CertificateAuthority stranger(elsewhere.path());
        const TlsContexts strange(listener(stranger.issue("localhost")));
        TlsEngine server(strange.for_clients());
        TlsEngine client(contexts.for_server(), "localhost", true);
        EXPECT_FALSE(shake_hands(client, server));
        EXPECT_FALSE(client.failure().empty());
    }
}

TEST_F(TlsEngineTest, GarbageFailsTheHandshakeAndNothingElse) {
    const TlsContexts contexts(listener(own_));
    TlsEngine server(contexts.for_clients());
    server.feed(as_bytes("this is no ClientHello, whatever it is"));
    EXPECT_EQ(server.handshake(), Status::failed);
    EXPECT_FALSE(server.failure().empty());
}

TEST_F(TlsEngineTest, ACertificateThatCannotBeUsedStopsTheStartAndNotAReload) {
    Listener wrong = listener(own_);
    wrong.files.key = authority_.issue("another").key.string();
    EXPECT_THROW(TlsContexts{wrong}, StartupError);

    TlsContexts contexts(listener(own_));
    const SslContext before = contexts.for_clients();
    test::write_file(own_.certificate, "no certificate any more");
    EXPECT_NE(contexts.reload(), "");
    EXPECT_EQ(contexts.for_clients(), before) << "the last good one stays";
    const test::Certificate renewed = authority_.issue("renewed");
    test::write_file(own_.certificate, test::read_file(renewed.certificate));
    test::write_file(own_.key, test::read_file(renewed.key));
    EXPECT_EQ(contexts.reload(), "");
    EXPECT_NE(contexts.for_clients(), before);
}

}  // namespace
}  // namespace isotap::proxy
