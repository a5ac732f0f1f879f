// TLS on both legs, in every policy, and every way to prove who one is.
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gate.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;

const char* const hba =
    "local all all trust\n"
    "host all postgres all trust\n"
    "host all scram_user all scram-sha-256\n"
    "host all md5_user all md5\n"
    "host all plain_user all password\n"
    "hostssl all cert_user all cert\n";

class PostgresTls : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        server_ = std::make_unique<PostgresServer>(PostgresOptions{.tls = true, .hba = hba});
        server_->sql(
            "CREATE ROLE scram_user LOGIN PASSWORD 'secret'; CREATE ROLE cert_user LOGIN;"
            "CREATE ROLE plain_user LOGIN PASSWORD 'secret'; SET password_encryption = 'md5';"
            "CREATE ROLE md5_user LOGIN PASSWORD 'secret'");
    }
    static void TearDownTestSuite() { server_.reset(); }

    static PostgresServer& server() { return *server_; }

    /// A proxy that shows a certificate of an authority of its own.
    [[nodiscard]] std::vector<std::string> own_certificate(const std::string& policy) const {
        return {"--tls",     policy,          "--tls-certificate", certificate_.certificate,
                "--tls-key", certificate_.key};
    }

    /// What psql says to one query that tells how the server sees the connection.
    static Finished ask(const IsotapProcess& proxy, const std::string& user,
                        const std::string& more) {
        return run({.arguments = {"psql", "-X", "-A", "-t", "-c",
                                  "SELECT 'encrypted ' || ssl FROM pg_stat_ssl "
                                  "WHERE pid = pg_backend_pid()",
                                  "host=127.0.0.1 dbname=postgres port=" +
                                      std::to_string(proxy.port()) + " user=" + user + " " + more},
                    .environment = {{"PGPASSWORD", "secret"}}});
    }

    static void expect_answer(const Finished& asked, const std::string& answer) {
        EXPECT_EQ(asked.exit_code, 0) << asked.output;
        EXPECT_EQ(asked.output, answer + "\n");
    }

    [[nodiscard]] std::string trust_proxy() const {
        return "sslmode=verify-full sslrootcert=" + authority_.root().string();
    }
    static std::string trust_server() {
        return "sslmode=verify-full sslrootcert=" + server().authority().root().string();
    }

    TemporaryFolder folder_;
    CertificateAuthority authority_{folder_.path()};
    Certificate certificate_ = authority_.issue("proxy");

  private:
    static inline std::unique_ptr<PostgresServer> server_;
};

TEST_F(PostgresTls, EveryPasswordMethodPasses) {
    for (const std::string mode : {"relay", "observe"}) {
        const IsotapProcess proxy(server().url(), {"--mode", mode});
        for (const std::string user : {"scram_user", "md5_user", "plain_user"}) {
            expect_answer(ask(proxy, user, "sslmode=disable"), "encrypted false");
            const Finished wrong = ask(proxy, user, "sslmode=disable password=wrong");
            EXPECT_EQ(wrong.exit_code, 2);
            EXPECT_THAT(wrong.output, HasSubstr("password authentication failed")) << user;
        }
    }
}

TEST_F(PostgresTls, OpaqueIsBetweenClientAndServer) {
    const IsotapProcess proxy(server().url(), {"--tls", "opaque"});
    expect_answer(ask(proxy, "scram_user", trust_server() + " channel_binding=require"),
                  "encrypted true");
    const Certificate client = server().authority().issue("cert_user");
    expect_answer(ask(proxy, "cert_user",
                      trust_server() + " sslcert=" + client.certificate.string() +
                          " sslkey=" + client.key.string()),
                  "encrypted true");
}

TEST_F(PostgresTls, MirrorDoesOnOneLegWhatTheOtherDoes) {
    const IsotapProcess proxy(server().url(), own_certificate("mirror"));
    expect_answer(ask(proxy, "postgres", trust_proxy()), "encrypted true");
    expect_answer(ask(proxy, "postgres", "sslmode=disable"), "encrypted false");
    expect_answer(ask(proxy, "scram_user", trust_proxy() + " channel_binding=disable"),
                  "encrypted true");
}

TEST_F(PostgresTls, MirrorExplainsALostChannelBinding) {
    const IsotapProcess proxy(server().url(), own_certificate("mirror"));
    const Finished refused = ask(proxy, "scram_user", trust_proxy() + " channel_binding=require");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.output, HasSubstr("certificate"));
}

TEST_F(PostgresTls, SameCertificateKeepsTheChannelBinding) {
    const Certificate& shared = server().certificate();
    const IsotapProcess proxy(server().url(),
                              {"--tls", "same-certificate", "--tls-certificate", shared.certificate,
                               "--tls-key", shared.key, "--mode", "observe"});
    expect_answer(ask(proxy, "scram_user", trust_server() + " channel_binding=require"),
                  "encrypted true");
}

TEST_F(PostgresTls, TerminateInFrontOfAPlainServer) {
    PostgresServer plain(
        {.hba =
             "local all all trust\nhost all postgres all trust\nhost all all all scram-sha-256\n"});
    plain.sql("CREATE ROLE scram_user LOGIN PASSWORD 'secret'");
    const IsotapProcess proxy(plain.url() + "?sslmode=disable", own_certificate("terminate"));
    expect_answer(ask(proxy, "scram_user", trust_proxy()), "encrypted false");
}

TEST_F(PostgresTls, TerminateTowardsAServerWithTls) {
    const IsotapProcess proxy(
        server().url() + "?sslmode=verify-full&sslrootcert=" + server().authority().root().string(),
        own_certificate("terminate"));
    expect_answer(ask(proxy, "scram_user", "sslmode=disable"), "encrypted true");
}

TEST_F(PostgresTls, ClientsCheckTheNameOnTheProxysCertificate) {
    const IsotapProcess proxy(server().url(), own_certificate("mirror"));
    expect_answer(ask(proxy, "postgres", trust_proxy() + " host=localhost hostaddr=127.0.0.1"),
                  "encrypted true");
    const Finished other =
        ask(proxy, "postgres", trust_proxy() + " host=db.example hostaddr=127.0.0.1");
    EXPECT_EQ(other.exit_code, 2) << "X-14";
    EXPECT_THAT(other.output, HasSubstr("does not match host name \"db.example\""));
    const Finished unnamed = ask(proxy, "postgres",
                                 "sslmode=verify-ca sslrootcert=" + authority_.root().string() +
                                     " host=db.example hostaddr=127.0.0.1");
    expect_answer(unnamed, "encrypted true");
}

TEST_F(PostgresTls, AServerWithTheWrongCertificateIsRefused) {
    const IsotapProcess proxy(
        server().url() + "?sslmode=verify-full&sslrootcert=" + authority_.root().string(),
        own_certificate("terminate"));
    PostgresWire client({.port = proxy.port()});
    client.send(startup_packet({{"user", "postgres"}}));
    const ServerError error = error_in(client.read_until('-'));
    EXPECT_EQ(error.sqlstate, "08006") << error.text;
}

TEST_F(PostgresTls, NothingInClearMayFollowTheRequest) {
    const IsotapProcess proxy(server().url(), own_certificate("mirror"));
    PostgresWire client({.port = proxy.port()});
    client.send(MessageWriter().be32(ssl_request).framed() +
                startup_packet({{"user", "postgres"}, {"database", "postgres"}}));
    std::string said;
    while (const auto byte = client.read_byte()) {
        said += *byte;
    }
    EXPECT_THAT(said, testing::Not(HasSubstr("server_version"))) << "the session must not begin";
}

TEST_F(PostgresTls, LargeResultsThroughSlicedTls) {
    const LanePlan bytewise{.slice = 1, .sliced_bytes = 4'096};
    Gate near_server({.port = server().port()}, {.to_server = bytewise, .to_client = bytewise});
    const IsotapProcess proxy(
        "postgres://postgres@127.0.0.1:" + std::to_string(near_server.port()) + "/postgres",
        own_certificate("mirror"));
    const Gate near_client({.port = proxy.port()}, {.to_server = bytewise, .to_client = bytewise});
    PostgresWire client({.port = near_client.port()});
    client.send(MessageWriter().be32(ssl_request).framed());
    ASSERT_EQ(client.read_byte(), 'S');
    client.stream().start_tls({.trust = authority_.root()});
    client.start();
    for (int i = 0; i < 3; ++i) {
        const auto frames = client.query("SELECT repeat('x', 1000000) FROM generate_series(1, 3)");
        EXPECT_EQ(frames.size(), 6U);
        EXPECT_EQ(client.query("SELECT 1").size(), 4U);
    }
}

TEST_F(PostgresTls, DirectTlsOfNewerServers) {
    if (!postgres_programs(18)) GTEST_SKIP() << "this version cannot be had here";
    PostgresServer newer({.version = 18, .tls = true});
    for (const std::string policy : {"opaque", "mirror", "terminate"}) {
        const auto options =
            policy == "opaque" ? std::vector<std::string>{} : own_certificate(policy);
        const IsotapProcess proxy(newer.url(), options);
        PostgresWire client({.port = proxy.port()});
        client.stream().start_tls(
            {.alpn = "postgresql",
             .trust = policy == "opaque" ? newer.authority().root() : authority_.root()});
        EXPECT_EQ(client.stream().agreed_alpn(), "postgresql") << policy;
        client.start();
        EXPECT_EQ(client.query("SELECT 1").size(), 4U) << policy;
    }
}

TEST_F(PostgresTls, ANewCertificateIsShownWithoutARestart) {
    IsotapProcess proxy(server().url(), own_certificate("mirror"));
    const auto connect = [&] {
        auto client = std::make_unique<PostgresWire>(Endpoint{.port = proxy.port()});
        client->send(MessageWriter().be32(ssl_request).framed());
        EXPECT_EQ(client->read_byte(), 'S');
        client->stream().start_tls({.trust = authority_.root()});
        client->start();
        return client;
    };
    const auto before = connect();
    certificate_ = authority_.issue("proxy");  // in the same files
    proxy.process().signal(SIGHUP);
    proxy.process().wait_for_line("reload");
    const auto after = connect();
    EXPECT_NE(after->stream().peer_certificate(), before->stream().peer_certificate());
    EXPECT_EQ(before->query("SELECT 1").size(), 4U) << "a session that runs keeps its own";
    write_file(certificate_.certificate, "broken\n");
    proxy.process().signal(SIGHUP);
    proxy.process().wait_for_line("proxy.crt");
    EXPECT_EQ(connect()->stream().peer_certificate(), after->stream().peer_certificate())
        << "the last good one stays";
}

}  // namespace
}  // namespace isotap::test
