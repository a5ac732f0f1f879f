// Every way of proving who one is, against the servers that know it: the proxy relays what it need
// not understand, and sees when it is over.
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/integration/mysql_connector.hpp"
#include "tests/support/debian_folder.hpp"
#include "tests/wire/mysql_setting.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;

/// One server of each kind, with TLS, for the whole program.
MysqlSetting& shared_setting(MysqlFlavour flavour) {
    static std::map<MysqlFlavour, std::unique_ptr<MysqlSetting>> all;
    std::unique_ptr<MysqlSetting>& one = all[flavour];
    if (!one) one = std::make_unique<MysqlSetting>(flavour, true);
    return *one;
}

class MysqlAuthentication : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
        setting_ = &shared_setting(GetParam());
    }

    [[nodiscard]] std::vector<std::string> tls(const std::string& policy) const {
        const Certificate& shown = setting_->server().certificate();
        return {"--tls", policy, "--tls-certificate", shown.certificate, "--tls-key", shown.key};
    }

    void expect_login(const std::string& policy, const ConnectorLogin& login) {
        const Route route{.name = policy, .mode = "observe"};
        ConnectorLogin mine = login;
        mine.port = setting_->front(route, tls(policy)).port;
        const long before = setting_->notes(route, "authenticated");
        EXPECT_EQ(who_am_i(mine), login.user + "@%\t") << policy;
        EXPECT_EQ(setting_->notes(route, "authenticated"),
                  before + (policy == "opaque" && !login.authority.empty() ? 0 : 1));
    }

    MysqlSetting& setting() { return *setting_; }

  private:
    MysqlSetting* setting_ = nullptr;
};

TEST_P(MysqlAuthentication, NativePasswordWithAndWithoutTls) {
    if (GetParam() == MysqlFlavour::mysql) GTEST_SKIP() << "MySQL 9 has it no more";
    setting().server().sql(
        "CREATE USER old@'%' IDENTIFIED VIA mysql_native_password USING "
        "PASSWORD('secret'); GRANT ALL ON shop.* TO old@'%'");
    const fs::path authority = setting().server().authority().root();
    for (const std::string policy : {"opaque", "mirror", "same-certificate", "terminate"}) {
        expect_login(policy, {.user = "old", .password = "secret", .authority = authority});
        expect_login(policy, {.user = "old", .password = "secret"});
    }
}

TEST_P(MysqlAuthentication, CachingSha2OnAllItsPathsWithAColdCache) {
    if (GetParam() == MysqlFlavour::mariadb) GTEST_SKIP() << "MariaDB 10.11 has it not";
    setting().server().sql(
        "CREATE USER sha@'%' IDENTIFIED WITH caching_sha2_password BY 'secret';"
        "GRANT ALL ON shop.* TO sha@'%'");
    const fs::path authority = setting().server().authority().root();
    for (const std::string policy : {"opaque", "mirror", "same-certificate"}) {
        for (const fs::path& root : {authority, fs::path()}) {
            const ConnectorLogin login{.user = "sha", .password = "secret", .authority = root};
            setting().server().sql("FLUSH PRIVILEGES");
            expect_login(policy, login);  // clear text inside TLS, or the server's RSA key
            expect_login(policy, login);  // the cache is warm: the fast path
        }
    }
}

TEST_P(MysqlAuthentication, AWrongPasswordIsRefusedByTheServer) {
    const Route route{.name = "mirror", .mode = "observe"};
    const std::uint16_t port = setting().front(route, tls("mirror")).port;
    try {
        who_am_i({.port = port, .password = "wrong"});
        FAIL() << "was let in";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("Access denied for user 'tap'"), std::string::npos)
            << error.what();
    }
}

TEST_P(MysqlAuthentication, EverythingElseInsideTls) {
    const Route route{.name = "mirror", .mode = "observe"};
    const fs::path authority = setting().server().authority().root();
    const std::uint16_t port = setting().front(route, tls("mirror")).port;
    EXPECT_EQ(use_connector({.port = port, .authority = authority}),
              use_connector({.port = setting().direct().port, .authority = authority}));
    EXPECT_EQ(setting().notes(route, "desynchronised"), 0);
}

INSTANTIATE_TEST_SUITE_P(Each, MysqlAuthentication,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mysql),
                         [](const auto& named) { return testing::PrintToString(named.param); });

// What follows needs clients as new as the servers: those of the same folder.

/// What a client of a newer Debian says to a short question.
Finished ask(const fs::path& folder, const std::string& program,
             const std::vector<std::string>& options) {
    Command client{.arguments = program_of(folder, program)};
    client.arguments.emplace_back("--no-defaults");
    client.arguments.insert(client.arguments.end(), options.begin(), options.end());
    client.arguments.insert(client.arguments.end(),
                            {"--skip-column-names", "--execute=SELECT CURRENT_USER()"});
    return run(client);
}

class MariadbElevenAuthentication : public testing::Test {
  protected:
    void SetUp() override {
        if (!mysql_available(MysqlFlavour::mariadb_11)) GTEST_SKIP() << "no such server here";
        folder_ = debian_folder("mariadb", {"mariadb-server-core", "mariadb-client-core"});
        server_ = &shared_setting(MysqlFlavour::mariadb_11).server();
    }

    /// The proxy with that policy and certificate; not on 127.0.0.1, where the client trusts
    /// anybody.
    [[nodiscard]] std::vector<std::string> options(const std::string& policy,
                                                   const Certificate& shown) const {
        return {"--listen",          "127.0.0.2:0",     "--mode",    "observe",
                "--admin",           "127.0.0.1:0",     "--tls",     policy,
                "--tls-certificate", shown.certificate, "--tls-key", shown.key};
    }

    [[nodiscard]] Finished log_in(std::uint16_t port, const std::string& user,
                                  const std::vector<std::string>& more = {}) const {
        std::vector<std::string> all{
            "--host=127.0.0.2", "--port=" + std::to_string(port), "--user=" + user,
            "--password=secret",
            "--plugin-dir=" + (folder_ / "usr/lib/x86_64-linux-gnu/libmariadb3/plugin").string()};
        all.insert(all.end(), more.begin(), more.end());
        return ask(folder_, "usr/bin/mariadb", all);
    }

    void make_users() {
        if (server().sql("SELECT COUNT(*) FROM mysql.user WHERE user='parsec'") != "0\n") return;
        server().sql(
            "INSTALL SONAME 'auth_ed25519'; INSTALL SONAME 'auth_parsec';"
            "CREATE USER ed25519@'%' IDENTIFIED VIA ed25519 USING PASSWORD('secret');"
            "CREATE USER parsec@'%' IDENTIFIED VIA parsec USING PASSWORD('secret');"
            "CREATE USER native@'%' IDENTIFIED BY 'secret';");
    }

    MysqlServer& server() { return *server_; }

    MysqlServer* server_ = nullptr;
    std::optional<MysqlServer> own_;

  private:
    fs::path folder_;
};

TEST_F(MariadbElevenAuthentication, SeveralRoundsWithAndWithoutTls) {
    make_users();
    for (const std::string policy : {"opaque", "mirror", "same-certificate", "terminate"}) {
        IsotapProcess proxy(server().url(), options(policy, server().certificate()));
        int known = 0;
        for (const std::string user : {"ed25519", "parsec", "native"}) {
            for (const std::string tls : {"--skip-ssl", "--ssl"}) {
                const Finished done = log_in(proxy.port(), user, {tls});
                EXPECT_EQ(done.output, user + "@%\n") << policy << tls;
                known += policy == "opaque" && tls == "--ssl" ? 0 : 1;
            }
            EXPECT_NE(log_in(proxy.port(), user, {"--password=wrong"}).exit_code, 0);
        }
        EXPECT_EQ(proxy.metrics()["isotap_notes_total{note=\"authenticated\"}"], known) << policy;
        EXPECT_EQ(proxy.metrics()["isotap_notes_total{note=\"desynchronised\"}"], 0) << policy;
    }
}

// The client knows no authority, and the certificate is signed by itself. The OK packet proves,
// with the password, which certificate the server has; the client compares with what it was shown.
TEST_F(MariadbElevenAuthentication, ACertificateBoundToThePassword) {
    const TemporaryFolder folder(unprivileged_user());
    const CertificateAuthority ours(folder.path() / "ours");
    const CertificateAuthority others(folder.path() / "others");
    if (const auto user = unprivileged_user()) give_to(*user, folder.path());
    const Certificate& certificate = ours.self_signed();
    server_ =
        &own_.emplace(MysqlOptions{.flavour = MysqlFlavour::mariadb_11,
                                   .tls = true,
                                   .settings = {"ssl-ca=" + certificate.certificate.string(),
                                                "ssl-cert=" + certificate.certificate.string(),
                                                "ssl-key=" + certificate.key.string()}});
    make_users();
    for (const std::string user : {"ed25519", "parsec", "native"}) {
        for (const std::string policy : {"opaque", "mirror", "same-certificate", "terminate"}) {
            const IsotapProcess same(server().url(), options(policy, certificate));
            EXPECT_EQ(log_in(same.port(), user, {"--ssl-verify-server-cert"}).output, user + "@%\n")
                << policy;
            if (policy == "opaque" || policy == "same-certificate") continue;
            const IsotapProcess unlike(server().url(), options(policy, others.self_signed()));
            const Finished refused = log_in(unlike.port(), user, {"--ssl-verify-server-cert"});
            EXPECT_NE(refused.output.find("certificate is NOT trusted"), std::string::npos)
                << policy << refused.output;
        }
    }
}

// The suite of the server brings a plugin that takes passwords in clear text: the one way to have a
// second and a third factor without a device.
TEST(MysqlFactors, TwoAndThreeOfThem) {
    const fs::path folder =
        debian_folder("mysql", {"mysql-server-core", "mysql-client-core",
                                "mysql-testsuite:usr/lib/mysql/plugin,usr/lib/mysql-test/t"});
    if (folder.empty()) GTEST_SKIP() << "no such server here";
    const MysqlServer server(
        {.flavour = MysqlFlavour::mysql, .tls = true, .settings = {"authentication-policy=*,*,*"}});
    server.sql(
        "INSTALL PLUGIN cleartext_plugin_server SONAME 'auth_test_plugin.so';"
        "CREATE USER two@'%' IDENTIFIED WITH caching_sha2_password BY 'first'"
        " AND IDENTIFIED WITH cleartext_plugin_server AS 'second';"
        "CREATE USER three@'%' IDENTIFIED WITH caching_sha2_password BY 'first'"
        " AND IDENTIFIED WITH cleartext_plugin_server AS 'second'"
        " AND IDENTIFIED WITH cleartext_plugin_server AS 'third';");
    const Certificate& shown = server.certificate();
    for (const std::string policy : {"mirror", "same-certificate"}) {
        IsotapProcess proxy(server.url(),
                            {"--mode", "observe", "--admin", "127.0.0.1:0", "--tls", policy,
                             "--tls-certificate", shown.certificate, "--tls-key", shown.key});
        const auto log_in = [&](const std::string& user, const std::string& second,
                                const std::string& tls) {
            return ask(folder, "usr/bin/mysql",
                       {"--enable-cleartext-plugin", "--host=127.0.0.1",
                        "--port=" + std::to_string(proxy.port()), "--user=" + user,
                        "--password1=first", "--password2=" + second, "--password3=third",
                        "--get-server-public-key", "--ssl-mode=" + tls});
        };
        for (const std::string user : {"two", "three"}) {
            for (const std::string tls : {"DISABLED", "REQUIRED"}) {
                server.sql("FLUSH PRIVILEGES");  // no first factor is known from before
                for (int times = 0; times < 2; ++times) {
                    EXPECT_NE(log_in(user, "second", tls).output.find(user + "@%"),
                              std::string::npos)
                        << policy << tls;
                }
                EXPECT_NE(log_in(user, "wrong", tls).output.find("Access denied"),
                          std::string::npos);
            }
        }
        EXPECT_EQ(proxy.metrics()["isotap_notes_total{note=\"authenticated\"}"], 8) << policy;
        EXPECT_EQ(proxy.metrics()["isotap_notes_total{note=\"desynchronised\"}"], 0) << policy;
    }
}

}  // namespace
}  // namespace isotap::test
