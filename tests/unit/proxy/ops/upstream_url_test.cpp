#include "proxy/ops/upstream_url.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/ops/refusal.hpp"

namespace isotap::proxy {
namespace {

using history::Dialect;
using protocol::ServerTls;
using testing::HasSubstr;
using testing::Not;

std::string refusal_of_url(const std::string& url) {
    return refusal_of([&] { parse_upstream_url(url); });
}

TEST(UpstreamUrl, TellsItsParts) {
    const Upstream upstream = parse_upstream_url("postgres://app:secret@db.example.com:6543/shop");
    EXPECT_EQ(upstream.dialect, Dialect::postgres);
    EXPECT_EQ(upstream.address, (Address{"db.example.com", 6543}));
    EXPECT_EQ(upstream.user, "app");
    EXPECT_EQ(upstream.password, "secret");
    EXPECT_EQ(upstream.database, "shop");
}

TEST(UpstreamUrl, KnowsFourSchemesAndTheirPorts) {
    EXPECT_EQ(parse_upstream_url("postgres://h").address.port, 5432);
    EXPECT_EQ(parse_upstream_url("postgresql://h").dialect, Dialect::postgres);
    EXPECT_EQ(parse_upstream_url("mysql://h").address.port, 3306);
    EXPECT_EQ(parse_upstream_url("mariadb://h").dialect, Dialect::mysql);
    EXPECT_EQ(parse_upstream_url("mariadb://h").engine, "mariadb");
}

TEST(UpstreamUrl, DecodesWhatIsPercentEncoded) {
    const Upstream upstream = parse_upstream_url("mysql://a%40b:p%2Fw%3A%3f@h/d%20b");
    EXPECT_EQ(upstream.user, "a@b");
    EXPECT_EQ(upstream.password, "p/w:?");
    EXPECT_EQ(upstream.database, "d b");
}

TEST(UpstreamUrl, TakesAPasswordWithColonAndAt) {
    const Upstream upstream = parse_upstream_url("mysql://u:a:b@c@h");
    EXPECT_EQ(upstream.password, "a:b@c");
    EXPECT_EQ(upstream.address.host, "h");
}

TEST(UpstreamUrl, ReadsIpv6InBrackets) {
    EXPECT_EQ(parse_upstream_url("postgres://u@[::1]:5433/d").address, (Address{"::1", 5433}));
    EXPECT_EQ(parse_upstream_url("postgres://[::1]").address, (Address{"::1", 5432}));
}

TEST(UpstreamUrl, FindsTheUnixSocket) {
    const auto path = [](const char* url) { return parse_upstream_url(url).address.host; };
    EXPECT_EQ(path("postgres:///d?host=/run/pg"), "/run/pg/.s.PGSQL.5432");
    EXPECT_EQ(path("postgres://u@:5433/d?host=/run/pg/"), "/run/pg/.s.PGSQL.5433");
    EXPECT_EQ(path("postgres:///d?host=/run/pg/.s.PGSQL.9"), "/run/pg/.s.PGSQL.9");
    EXPECT_EQ(path("postgres://%2Frun%2Fpg/d"), "/run/pg/.s.PGSQL.5432");
    EXPECT_EQ(path("mysql://u@%2Frun%2Fmy.sock/d"), "/run/my.sock");
    EXPECT_EQ(path("postgres://u@:5432/d"), "/var/run/postgresql/.s.PGSQL.5432") << "as libpq";
    EXPECT_EQ(path("postgres://"), "/var/run/postgresql/.s.PGSQL.5432");
    EXPECT_EQ(path("mysql:///d"), "/var/run/mysqld/mysqld.sock");
}

TEST(UpstreamUrl, ReadsTheTlsMode) {
    const auto with = [](const std::string& mode) {
        return parse_upstream_url("postgres://h/d?sslmode=" + mode);
    };
    EXPECT_EQ(parse_upstream_url("postgres://h").tls, ServerTls::prefer);
    EXPECT_EQ(with("disable").tls, ServerTls::disable);
    EXPECT_EQ(with("require").tls, ServerTls::require);
    EXPECT_FALSE(with("require").verify_certificate);
    EXPECT_TRUE(with("verify-ca").verify_certificate);
    EXPECT_FALSE(with("verify-ca").verify_name);
    EXPECT_EQ(with("verify-full").tls, ServerTls::require);
    EXPECT_TRUE(with("verify-full").verify_certificate);
    EXPECT_TRUE(with("verify-full").verify_name);
    EXPECT_EQ(
        parse_upstream_url("mysql://h?sslmode=verify-ca&sslrootcert=/ca.pem").root_certificate,
        "/ca.pem");
    EXPECT_THAT(refusal_of_url("postgres://h?sslmode=allow"), HasSubstr("'allow'"));
}

TEST(UpstreamUrl, KnowsThatPostgresHasNoTlsOnAUnixSocket) {
    for (const char* mode : {"prefer", "require", "verify-full"}) {
        const Upstream upstream =
            parse_upstream_url(std::string("postgres:///d?host=/run/pg&sslmode=") + mode);
        EXPECT_EQ(upstream.tls, protocol::ServerTls::disable) << mode << " is ignored, as by libpq";
        EXPECT_FALSE(upstream.verify_certificate);
        EXPECT_FALSE(upstream.verify_name);
    }
    EXPECT_TRUE(parse_upstream_url("mysql:///d?host=/run/my&sslmode=verify-full").verify_name);
}

TEST(UpstreamUrl, NamesWhatItDoesNotKnow) {
    EXPECT_THAT(refusal_of_url("postgres://h?connect_timeout=3"), HasSubstr("'connect_timeout'"));
    EXPECT_THAT(refusal_of_url("postgres://h?sslmode=disable&sslmode=require"),
                HasSubstr("'sslmode' twice"));
    EXPECT_THAT(refusal_of_url("postgres://h/d?host=/run"), HasSubstr("host twice"));
    EXPECT_THAT(refusal_of_url("postgres://a,b/d"), HasSubstr("one server"));
    EXPECT_THAT(refusal_of_url("postgres://[::1/d"), HasSubstr("']'"));
    EXPECT_THAT(refusal_of_url("postgres://[::1]x/d"), HasSubstr("']'"));
}

TEST(UpstreamUrl, RefusesWhatIsNoUrlOfADatabase) {
    for (const char* url :
         {"", "h:5432", "postgres:/h", "http://h", "POSTGRES://h", "postgres", "postgres://h:0",
          "postgres://h:65536", "postgres://h:x", "postgres://h%zz", "postgres://h%4",
          "postgres://h%", "mysql://h/%00", "postgres://a b", "postgres:///?host=relative path"}) {
        EXPECT_NE(refusal_of_url(url), "") << url;
    }
}

TEST(UpstreamUrl, NeverRepeatsAPassword) {
    for (const char* url :
         {"http://u:hunter2@h", "postgres://u:hunter2/x@h", "postgres://u:hunter2%@h",
          "postgres://u:hunter2@h:x", "postgres://u:hunter2?a@h", "postgres://u:#hunter2%zz@h",
          "postgres://u:a@hunter2 /d"}) {
        const std::string refusal = refusal_of_url(url);
        EXPECT_NE(refusal, "") << url;
        EXPECT_THAT(refusal, Not(HasSubstr("hunter2"))) << url;
    }
}

}  // namespace
}  // namespace isotap::proxy
