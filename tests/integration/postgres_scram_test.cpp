// PG-06: SCRAM through a proxy that ends TLS, between the real psql and a real server.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;
using testing::Not;

using Options = std::vector<std::string>;

const std::string alice = "alice:p%40ss%20word";
const std::string alice_password = "p@ss word";

/// A server where alice and bob must prove themselves by SCRAM.
std::unique_ptr<PostgresServer> make_server(bool tls) {
    PostgresOptions options{.tls = tls};
    options.hba = "local all all trust\nhost all all all scram-sha-256\n";
    auto server = std::make_unique<PostgresServer>(options);
    server->sql("create user alice password '" + alice_password +
                "'; create user bob password 'secret';");
    return server;
}

class PostgresScram : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        if (postgres_programs(15)) {
            with_tls() = make_server(true);
            without_tls() = make_server(false);
        }
    }
    static void TearDownTestSuite() {
        with_tls().reset();
        without_tls().reset();
    }
    void SetUp() override {
        if (!with_tls()) GTEST_SKIP() << "this version cannot be had here";
    }

    static std::unique_ptr<PostgresServer>& with_tls() {
        static std::unique_ptr<PostgresServer> server;
        return server;
    }
    static std::unique_ptr<PostgresServer>& without_tls() {
        static std::unique_ptr<PostgresServer> server;
        return server;
    }

    /// Options for a proxy with a certificate of its own, and a policy.
    static Options own_certificate(const std::string& policy) {
        static const Certificate own = with_tls()->authority().issue("proxy");
        return {"--tls",         policy,      "--tls-certificate",
                own.certificate, "--tls-key", own.key.string()};
    }

    static std::string upstream(const PostgresServer& server, const std::string& login,
                                const std::string& parameters = {}) {
        return server.url(login) + parameters;
    }

    /// Logs in by psql, and says who the server thinks it is.
    static Finished login(const IsotapProcess& proxy, const std::string& settings,
                          const std::string& user = "alice",
                          const std::string& password = alice_password) {
        const std::string connection = "host=127.0.0.1 dbname=postgres user=" + user +
                                       " port=" + std::to_string(proxy.port()) + " " + settings;
        return run({.arguments = {"psql", "-X", "-A", "-t", "-d", connection, "-c",
                                  "select 'I am ' || current_user"},
                    .environment = {{"PGPASSWORD", password}}});
    }

    static std::string bound() {
        return "channel_binding=require sslmode=verify-full sslrootcert=" +
               with_tls()->authority().root().string();
    }
};

TEST_F(PostgresScram, PG06CTlsEndsAtTheProxyAndTheServerHasNone) {
    const IsotapProcess proxy(upstream(*without_tls(), alice, "?sslmode=disable"),
                              own_certificate("terminate"));
    EXPECT_THAT(login(proxy, "sslmode=require").output, HasSubstr("I am alice"));
    EXPECT_THAT(login(proxy, "sslmode=require", "bob", "secret").output, HasSubstr("I am bob"));
}

TEST_F(PostgresScram, PG06DTheServersOwnCertificateNeedsNoSecret) {
    const Certificate& servers = with_tls()->certificate();
    const IsotapProcess proxy(upstream(*with_tls(), "postgres"),
                              {"--tls", "same-certificate", "--tls-certificate",
                               servers.certificate, "--tls-key", servers.key});
    EXPECT_THAT(login(proxy, bound()).output, HasSubstr("I am alice"));
    EXPECT_THAT(login(proxy, bound(), "alice", "wrong").output,
                HasSubstr("password authentication failed for user \"alice\""));
}

TEST_F(PostgresScram, PG06EALoginIsProvedOnBothLegs) {
    for (const std::string mode : {"relay", "observe"}) {
        Options options = own_certificate("mirror");
        options.insert(options.end(), {"--mode", mode});
        const IsotapProcess proxy(upstream(*with_tls(), alice), options);
        const Finished bound_login = login(proxy, bound());
        EXPECT_EQ(bound_login.exit_code, 0) << proxy.log();
        EXPECT_THAT(bound_login.output, HasSubstr("I am alice"));
        EXPECT_THAT(login(proxy, "sslmode=require").output, HasSubstr("I am alice"));
        EXPECT_THAT(login(proxy, "sslmode=require channel_binding=disable", "bob", "secret").output,
                    HasSubstr("I am bob"));
    }
}

TEST_F(PostgresScram, PG06ETheServerRefusesAWrongPasswordInItsOwnWords) {
    IsotapProcess proxy(upstream(*with_tls(), alice), own_certificate("mirror"));
    const Finished refused = login(proxy, bound(), "alice", "wrong");
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_THAT(refused.output, HasSubstr("password authentication failed for user \"alice\""));
    EXPECT_THAT(proxy.process().wait_for_line("proof_refused"), HasSubstr("password is not"));
    EXPECT_THAT(proxy.log(), Not(HasSubstr(alice_password)));
}

TEST_F(PostgresScram, PG06EAnOutdatedSecretIsRefusedByTheServer) {
    const IsotapProcess proxy(upstream(*with_tls(), "alice:old"), own_certificate("mirror"));
    for (const std::string& password : {std::string("old"), alice_password}) {
        EXPECT_THAT(login(proxy, bound(), "alice", password).output,
                    HasSubstr("password authentication failed for user \"alice\""));
    }
}

TEST_F(PostgresScram, PG06AWithoutTheSecretOfThatUserTheClientIsToldWhy) {
    const IsotapProcess proxy(upstream(*with_tls(), alice), own_certificate("mirror"));
    const Finished refused = login(proxy, bound(), "bob", "secret");
    EXPECT_NE(refused.exit_code, 0);
    EXPECT_THAT(refused.output, HasSubstr("SCRAM channel binding does not pass"));

    IsotapProcess ignorant(upstream(*with_tls(), "postgres"), own_certificate("mirror"));
    EXPECT_THAT(login(ignorant, bound()).output, HasSubstr("SCRAM channel binding does not pass"));
    EXPECT_THAT(ignorant.process().wait_for_line("channel_binding_lost"),
                HasSubstr("upstream URL"));
}

TEST_F(PostgresScram, PG06GAClientWithoutTlsIsNotOfferedToBind) {
    const IsotapProcess proxy(upstream(*with_tls(), "postgres", "?sslmode=require"),
                              own_certificate("terminate"));
    EXPECT_THAT(login(proxy, "sslmode=disable").output, HasSubstr("I am alice"));
}

}  // namespace
}  // namespace isotap::test
