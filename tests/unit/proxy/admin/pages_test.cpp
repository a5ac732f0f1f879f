#include "proxy/admin/pages.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

class PagesTest : public testing::Test {
  protected:
    [[nodiscard]] AdminAnswer ask(std::string_view method, std::string_view target,
                                  std::string_view authorization = "") const {
        const Pages pages(
            {.metrics = [] { return "numbers\n"; },
             .ready = [this] { return ready_; },
             .page = "<script></script>",
             .api = [](std::string_view path) -> std::optional<AdminAnswer> {
                 return path == "/api/status"
                            ? std::optional(AdminAnswer{.body = "findings\n", .allow = {}})
                            : std::nullopt;
             },
             .feed = [](std::uint64_t) { return [] { return std::string("events\n"); }; }},
            token_);
        return pages.answer({method, target, authorization, host_, at_loopback_});
    }

    bool ready_ = true;
    std::string_view host_;
    bool at_loopback_ = false;
    std::string token_;
};

TEST_F(PagesTest, ServeMetricsAndHealth) {
    EXPECT_EQ(ask("GET", "/metrics").body, "numbers\n");
    EXPECT_EQ(ask("GET", "/metrics").content_type, "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_EQ(ask("HEAD", "/metrics").status, 200U);
    EXPECT_EQ(ask("GET", "/healthz").body, "ok\n");
    EXPECT_EQ(ask("GET", "/readyz?verbose").status, 200U);
}

TEST_F(PagesTest, AreNotReadyWhileDraining) {
    ready_ = false;
    EXPECT_EQ(ask("GET", "/readyz").status, 503U);
    EXPECT_EQ(ask("GET", "/healthz").status, 200U) << "draining is not ill";
}

TEST_F(PagesTest, KnowNoOtherPathAndNoOtherMethod) {
    for (const char* target :
         {"", "*", "/api/nothing", "/metrics/", "/../metrics", "//metrics", "/Metrics"}) {
        EXPECT_EQ(ask("GET", target).status, 404U) << target;
    }
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", ""}) {
        EXPECT_EQ(ask(method, "/metrics").status, 405U) << method;
        EXPECT_EQ(ask(method, "/metrics").allow, "GET, HEAD") << method;
    }
}

/// Anybody may make a name lead to this machine, and a browser takes it for one place.
TEST_F(PagesTest, TellNothingAtLoopbackByTheNameOfSomethingElse) {
    at_loopback_ = true;
    for (const char* host : {"evil.example", "evil.example:9180", "1.2.3.4.evil.example", "x"}) {
        host_ = host;
        for (const char* target : {"/metrics", "/api/status", "/api/events"}) {
            EXPECT_EQ(ask("GET", target).status, 421U) << host << target;
        }
        EXPECT_EQ(ask("GET", "/healthz").status, 200U);
    }
    for (const char* host : {"", "localhost", "LocalHost:9180", "127.0.0.1:9180", "[::1]:9180"}) {
        host_ = host;
        EXPECT_EQ(ask("GET", "/metrics").status, 200U) << host;
    }
    host_ = "staging.example";
    at_loopback_ = false;
    EXPECT_EQ(ask("GET", "/metrics").status, 200U);
    at_loopback_ = true;
    token_ = "s3cret";
    EXPECT_EQ(ask("GET", "/metrics", "Bearer s3cret").status, 200U) << "no page has the token";
}

TEST_F(PagesTest, AskForTheTokenBeforeTheyShowNumbers) {
    token_ = "s3cret";
    for (const char* authorization : {"", "Bearer ", "Bearer s3cre", "Bearer s3cret ",
                                      "Bearer S3CRET", "Basic s3cret", "Bearers3cret", "s3cret"}) {
        for (const char* target : {"/metrics", "/api/status", "/api/events", "/api/nothing"}) {
            const AdminAnswer answer = ask("GET", target, authorization);
            EXPECT_EQ(answer.status, 401U) << target << " with " << authorization;
            EXPECT_EQ(answer.body, "ask with the bearer token\n");
            EXPECT_FALSE(answer.feed);
        }
    }
    EXPECT_EQ(ask("GET", "/metrics", "Bearer s3cret").status, 200U);
    EXPECT_EQ(ask("GET", "/api/status", "Bearer s3cret").body, "findings\n");
    EXPECT_TRUE(ask("GET", "/api/events?after=3", "Bearer s3cret").feed);
    EXPECT_EQ(ask("GET", "/", "").status, 200U) << "the page asks for the token itself";
    EXPECT_EQ(ask("GET", "/metrics", "bearer s3cret").status, 200U);
    EXPECT_EQ(ask("GET", "/healthz").status, 200U) << "a probe has no secrets";
}

}  // namespace
}  // namespace isotap::proxy
