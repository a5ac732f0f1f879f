#include "proxy/admin/live_api.hpp"

#include <array>
#include <memory>
#include <string>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/tap/skew.hpp"

namespace isotap::proxy {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

ProxyOptions options() {
    ProxyOptions made;
    made.relay.listeners.emplace_back().mode = Mode::observe;
    return made;
}

/// What is told of a write skew between transactions 1 and 2.
class LiveApiTest : public ::testing::Test {
  protected:
    LiveApiTest() {
        for (auto& sink : sinks_) {
            sink = tap_.sink_of_thread(counters_);
        }
        tap_.start();
        testing::write_skew(1, history::IsolationLevel::repeatable_read,
                            [this](std::size_t lane, const history::Event& event) {
                                sinks_.at(lane)->accept(event);
                            });
        tap_.stop();
    }

    [[nodiscard]] json::value ask(std::string_view path) const {
        const auto answer = api_.answer(path);
        EXPECT_TRUE(answer && answer->status == 200) << path;
        EXPECT_EQ(answer->content_type, "application/json");
        return json::parse(answer->body);
    }

    Log log_{LogFormat::text, static_cast<LogLevel>(99)};
    Tap tap_{options(), log_};
    RelayCounters counters_;
    std::array<std::unique_ptr<history::EventSink>, 2> sinks_;
    LiveApi api_{tap_};
};

TEST_F(LiveApiTest, SaysHowThingsStand) {
    const json::value status = ask("/api/status");
    EXPECT_EQ(status.at("verdict"), "hazard");
    EXPECT_EQ(status.at("engine"), "postgresql");
    EXPECT_EQ(status.at("transactions").at("committed"), 2);
    EXPECT_EQ(status.at("anomalies").at("hazards"), 1);
    EXPECT_EQ(status.at("anomalies").at("by").at(0).at("type"), "G2-item");
    EXPECT_EQ(status.at("rings").as_array().size(), 2U);
    EXPECT_TRUE(status.at("recording").is_null());
    EXPECT_EQ(status.at("coverage"), ask("/api/coverage"));
    EXPECT_EQ(ask("/api/coverage").at("full"), 4);
}

TEST_F(LiveApiTest, ListsAnomaliesAndShowsEach) {
    const json::value all = ask("/api/anomalies");
    ASSERT_EQ(all.at("anomalies").as_array().size(), 1U);
    EXPECT_EQ(all.at("verdict"), "hazard");
    const json::value one = ask("/api/anomalies/1");
    for (const char* same : {"id", "type", "name", "severity", "levels", "forbidden_by"}) {
        EXPECT_EQ(one.at(same), all.at("anomalies").at(0).at(same)) << same;
    }
    const json::array& cycle = one.at("cycle").as_array();
    const json::array& listed = all.at("anomalies").at(0).at("cycle").as_array();
    ASSERT_EQ(cycle.size(), 2U);
    ASSERT_EQ(listed.size(), 2U);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        EXPECT_EQ(cycle[i].at("version"), listed[i].at("version")) << i;
    }
    EXPECT_EQ(one.at("transactions").as_array().size(), 2U);
    EXPECT_FALSE(one.at("remedies").as_array().empty());
}

TEST_F(LiveApiTest, ShowsATransactionWithOrWithoutItsLetter) {
    const json::value transaction = ask("/api/transactions/T2");
    EXPECT_EQ(transaction, ask("/api/transactions/2"));
    EXPECT_EQ(transaction.at("outcome"), "committed");
    EXPECT_EQ(transaction.at("level"), "REPEATABLE READ");
    EXPECT_EQ(transaction.at("statements").as_array().size(), 3U);
    EXPECT_EQ(transaction.at("statements").at(2).at("sql"),
              "update doctor set on_call = false where name = ?");
}

TEST_F(LiveApiTest, KnowsNothingElse) {
    for (const char* path : {"/api/anomalies/2", "/api/anomalies/x", "/api/anomalies/",
                             "/api/transactions/9", "/api/transactions/T", "/api/transactions/2x",
                             "/api/transactions/99999999999999999999"}) {
        const auto answer = api_.answer(path);
        EXPECT_TRUE(answer && answer->status == 404) << path;
    }
    EXPECT_FALSE(api_.answer("/api/other"));
}

TEST_F(LiveApiTest, StreamsWhatIsNewToTheListener) {
    const auto feed = api_.feed(0);
    const std::string first = feed();
    EXPECT_THAT(first, HasSubstr("event: anomaly\nid: 1\ndata: {"));
    EXPECT_THAT(first, HasSubstr("event: status\ndata: {"));
    EXPECT_EQ(feed(), "") << "all is told, and the next status is not due";
    EXPECT_THAT(api_.feed(1)(), ::testing::Not(HasSubstr("event: anomaly")));
}

TEST_F(LiveApiTest, LeavesConnectionsForOthersThanListeners) {
    std::vector<std::function<std::string()>> feeds;
    while (auto feed = api_.feed(0)) {
        feeds.push_back(std::move(feed));
        ASSERT_LE(feeds.size(), 100U);
    }
    EXPECT_GE(feeds.size(), 8U);
    feeds.pop_back();
    EXPECT_TRUE(api_.feed(0)) << "one has gone";
}

}  // namespace
}  // namespace isotap::proxy
