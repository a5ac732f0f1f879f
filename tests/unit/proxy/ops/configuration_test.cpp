#include "proxy/ops/configuration.hpp"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/ops/refuse.hpp"
#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

using protocol::TlsPolicy;
using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;

/// What a person says, and the files that there are.
class ConfigurationTest : public testing::Test {
  protected:
    void say(const std::string& name, const std::string& text) {
        sources_.command_line[name] = {text, "--" + name};
    }
    void environment(const std::string& name, const std::string& text) {
        sources_.environment[name] = {text, "ISOTAP"};
    }
    void file(std::string_view text) { sources_.file = parse_configuration_file(text, "p.toml"); }
    ProxyOptions options() {
        return configure(sources_, [this](const std::string& path) {
            const auto found = files_.find(path);
            if (found == files_.end()) {
                refuse("cannot read " + path);
            }
            return found->second;
        });
    }
    std::string refusal() {
        return refusal_of([this] { options(); });
    }

    Sources sources_;
    std::map<std::string, std::string> files_;
};

class WithOneListener : public ConfigurationTest {
  protected:
    void SetUp() override {
        say("upstream", "postgres://h");
        say("listen", "127.0.0.1:0");
    }
    Listener listener() { return options().relay.listeners.at(0); }
};

TEST_F(ConfigurationTest, AsksForAServerAndAnAddress) {
    EXPECT_THAT(refusal(), HasSubstr("--upstream"));
    say("upstream", "postgres://h");
    EXPECT_THAT(refusal(), HasSubstr("--listen"));
}

TEST_F(WithOneListener, HasDefaults) {
    const ProxyOptions made = options();
    ASSERT_EQ(made.relay.listeners.size(), 1U);
    EXPECT_EQ(made.relay.listeners[0].mode, Mode::relay);
    EXPECT_EQ(made.relay.listeners[0].tls, TlsPolicy::opaque);
    EXPECT_GE(made.relay.threads, 1U);
    EXPECT_EQ(made.admin, "");
    EXPECT_EQ(made.drain_timeout, milliseconds(30'000));
    EXPECT_EQ(made.relay.limits.sessions, Limits{}.sessions);
}

TEST_F(WithOneListener, TakesTheCommandLineThenTheEnvironmentThenTheFile) {
    file("threads = 3\n");
    EXPECT_EQ(options().relay.threads, 3U);
    environment("threads", "4");
    EXPECT_EQ(options().relay.threads, 4U);
    say("threads", "5");
    EXPECT_EQ(options().relay.threads, 5U);
}

TEST_F(WithOneListener, ReadsEveryOption) {
    say("mode", "observe");
    say("admin", "9090");
    say("log-format", "json");
    say("log-level", "warning");
    say("drain-timeout", "2min");
    say("limits.startup-packet", "16KiB");
    say("limits.login-timeout", "5s");
    const ProxyOptions made = options();
    EXPECT_EQ(made.relay.listeners[0].mode, Mode::observe);
    EXPECT_EQ(made.admin, "127.0.0.1:9090");
    EXPECT_EQ(made.log_format, LogFormat::json);
    EXPECT_EQ(made.log_level, LogLevel::warning);
    EXPECT_EQ(made.drain_timeout, milliseconds(120'000));
    EXPECT_EQ(made.relay.limits.startup_packet, 16'384U);
    EXPECT_EQ(made.relay.limits.login_timeout, milliseconds(5'000));
}

TEST_F(WithOneListener, SaysWhereAWrongValueStands) {
    environment("log-level", "loud");
    EXPECT_EQ(refusal(), "ISOTAP: 'loud' is not known: use one of debug, info, warning, error");
    file("\n[limits]\nsessions = 0\n");
    sources_.environment.clear();
    EXPECT_THAT(refusal(), StartsWith("p.toml:3: limits.sessions: 0 is out of range"));
    say("limits.sessions", "many");
    EXPECT_THAT(refusal(), StartsWith("--limits.sessions: 'many' is no number"));
}

TEST_F(WithOneListener, ReadsHowToInstrument) {
    say("mode", "instrument");
    say("versions", "system");
    say("prove", "later");
    const Listener made = options().relay.listeners.at(0);
    EXPECT_EQ(made.mode, Mode::instrument);
    EXPECT_EQ(made.versions, Versions::system);
    EXPECT_EQ(made.prove, Prove::later);
}

TEST_F(WithOneListener, ChangesNoSchemaUnasked) {
    say("upstream", "mysql://tap@127.0.0.1/shop");
    say("mode", "instrument");
    EXPECT_EQ(options().relay.listeners.at(0).schema, SchemaChange::none);
    const auto usual = options().relay.limits.plan_wait;
    say("schema", "auto");
    EXPECT_EQ(options().relay.listeners.at(0).schema, SchemaChange::automatic);
    EXPECT_GT(options().relay.limits.plan_wait, usual) << "a new table gets its columns meanwhile";
    say("limits.plan-wait", "7ms");
    EXPECT_EQ(options().relay.limits.plan_wait.count(), 7);
    say("mode", "observe");
    EXPECT_THAT(refusal(), HasSubstr("add mode = instrument"));
}

TEST_F(WithOneListener, RefusesSystemVersionsWhereRowsHaveNone) {
    say("upstream", "mysql://tap@127.0.0.1/shop");
    say("versions", "system");
    EXPECT_THAT(refusal(), HasSubstr("is for PostgreSQL"));
}

TEST_F(WithOneListener, BoundsTheThreadsByWhatTransactionIdsCanHold) {
    say("threads", "64");
    EXPECT_EQ(options().relay.threads, 64U);
    say("threads", "65");
    EXPECT_NE(refusal(), "");
    say("threads", "0");
    EXPECT_NE(refusal(), "");
}

TEST_F(WithOneListener, MirrorsTlsOnceThereIsACertificate) {
    files_["/c.pem"] = "a certificate";
    say("tls-certificate", "/c.pem");
    EXPECT_EQ(listener().tls, TlsPolicy::mirror);
    EXPECT_EQ(listener().files.key, "/c.pem") << "one file may hold both";
    say("tls", "terminate");
    EXPECT_EQ(listener().tls, TlsPolicy::terminate);
    say("tls-key", "/k.pem");
    EXPECT_EQ(refusal(), "--tls-key: cannot read /k.pem");
}

TEST_F(WithOneListener, AsksForTheCertificateThatAPolicyNeeds) {
    for (const char* policy : {"mirror", "same-certificate"}) {
        say("tls", policy);
        EXPECT_THAT(refusal(), HasSubstr("tls-certificate")) << policy;
    }
    for (const char* policy : {"opaque", "terminate"}) {
        say("tls", policy);
        EXPECT_EQ(refusal(), "") << policy;
    }
    files_["/k.pem"] = "a key";
    say("tls-key", "/k.pem");
    EXPECT_THAT(refusal(), HasSubstr("tls-certificate"));
}

TEST_F(WithOneListener, ReadsTheRootCertificateOfTheUrl) {
    say("upstream", "postgres://h?sslmode=verify-ca&sslrootcert=/ca.pem");
    EXPECT_EQ(refusal(), "--upstream: cannot read /ca.pem");
    files_["/ca.pem"] = "an authority";
    EXPECT_EQ(listener().upstream.root_certificate, "/ca.pem");
}

TEST_F(WithOneListener, TakesThePasswordFromTheStrongestPlace) {
    say("upstream", "postgres://u:from-url@h");
    EXPECT_EQ(listener().upstream.password, "from-url");
    files_["/from-file"] = "from-file\nignored\n";
    file("upstream-password-file = '/from-file'\n");
    EXPECT_EQ(listener().upstream.password, "from-file");
    sources_.password = "from-environment";
    EXPECT_EQ(listener().upstream.password, "from-environment");
    files_["/named"] = "named\r\n";
    say("upstream-password-file", "/named");
    EXPECT_EQ(listener().upstream.password, "named");
    files_["/named"] = "\n";
    EXPECT_THAT(refusal(), StartsWith("--upstream-password-file: the first line of /named"));
}

TEST_F(WithOneListener, ReadsTheTokenOfTheAdminPage) {
    files_["/token"] = "abc\n";
    say("admin-token-file", "/token");
    EXPECT_EQ(options().admin_token, "abc");
}

TEST_F(ConfigurationTest, MakesListenersOfDifferentDialects) {
    file(
        "mode = 'observe'\n"
        "[[listener]]\nlisten = '127.0.0.1:1'\nupstream = 'postgres://a'\n"
        "[[listener]]\nlisten = '127.0.0.1:2'\nupstream = 'mysql://b'\nmode = 'relay'\n");
    const auto listeners = options().relay.listeners;
    ASSERT_EQ(listeners.size(), 2U);
    EXPECT_EQ(listeners[0].upstream.dialect, history::Dialect::postgres);
    EXPECT_EQ(listeners[0].mode, Mode::observe);
    EXPECT_EQ(listeners[1].upstream.dialect, history::Dialect::mysql);
    EXPECT_EQ(listeners[1].mode, Mode::relay);

    say("mode", "observe");
    EXPECT_EQ(options().relay.listeners[1].mode, Mode::observe) << "said for all of them";
    say("listen", "127.0.0.1:3");
    EXPECT_THAT(refusal(), StartsWith("--listen: the file has 2 listeners"));
}

TEST_F(ConfigurationTest, LetsTheCommandLineMoveTheOnlyListener) {
    file("[[listener]]\nlisten = '127.0.0.1:1'\nupstream = 'postgres://a'\n");
    say("listen", "127.0.0.1:9");
    EXPECT_EQ(options().relay.listeners.at(0).listen.port, 9);
}

TEST_F(ConfigurationTest, RefusesTwoListenersAtOneAddress) {
    file(
        "upstream = 'postgres://a'\n"
        "[[listener]]\nlisten = '127.0.0.1:1'\n[[listener]]\nlisten = '127.0.0.1:1'\n");
    EXPECT_THAT(refusal(), HasSubstr("two listeners want 127.0.0.1:1"));
    file(
        "upstream = 'postgres://a'\n"
        "[[listener]]\nlisten = '127.0.0.1:0'\n[[listener]]\nlisten = '127.0.0.1:0'\n");
    EXPECT_EQ(refusal(), "") << "port 0 is a new port for each";
}

TEST(ReadSmallFile, SaysWhyItCannot) {
    EXPECT_THAT(refusal_of([] { read_small_file("/nowhere/at/all"); }),
                HasSubstr("No such file or directory"));
    EXPECT_NE(refusal_of([] { read_small_file("/"); }), "") << "a folder is no file";
    EXPECT_THAT(refusal_of([] { read_small_file("/dev/zero"); }), HasSubstr("larger than"));
    EXPECT_EQ(read_small_file("/dev/null"), "");
}

}  // namespace
}  // namespace isotap::proxy
