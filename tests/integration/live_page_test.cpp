// The page as a browser shows it: an anomaly appears without a reload, opens by its address, and
// nothing that clients wrote becomes markup.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/admin/http_server.hpp"
#include "proxy/admin/live_api.hpp"
#include "proxy/ops/embedded_text.hpp"
#include "proxy/tap/tap.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/proxy/tap/skew.hpp"

namespace isotap::test {
namespace {

using proxy::Tap;
using ::testing::HasSubstr;
using ::testing::Not;

std::optional<std::string> browser() {
    for (const char* path : {"/usr/bin/chromium", "/usr/bin/chromium-browser"}) {
        if (std::filesystem::exists(path)) {
            return path;
        }
    }
    return std::nullopt;
}

const std::string markup = "<img src=x onerror=\"document.title='owned'\">";

proxy::ProxyOptions options() {
    proxy::ProxyOptions made;
    made.relay.listeners.emplace_back().mode = proxy::Mode::observe;
    made.tap.record_values = true;
    return made;
}

/// A tap and its admin address; the first listener of the stream sets the traffic going.
class LivePage {
  public:
    LivePage() {
        for (auto& sink : sinks_) {
            sink = tap_.sink_of_thread(counters_);
        }
        tap_.start();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~LivePage() {
        io_.stop();
        thread_.join();
        if (traffic_.joinable()) {
            traffic_.join();
        }
        tap_.stop();
    }
    LivePage(const LivePage&) = delete;
    LivePage& operator=(const LivePage&) = delete;

    [[nodiscard]] std::string url() const { return "http://" + to_string(server_.address()) + "/"; }

  private:
    std::function<std::string()> feed(std::uint64_t after) {
        if (!traffic_.joinable()) {
            traffic_ = std::thread([this] { make_traffic(); });
        }
        return api_.feed(after);
    }
    void make_traffic() {
        proxy::testing::write_skew(
            1, history::IsolationLevel::repeatable_read,
            [this](std::size_t lane, const history::Event& event) {
                history::Event told = event;
                if (auto* name = std::get_if<history::NameDefined>(&told)) {
                    name->text = markup;
                } else if (auto* began = std::get_if<history::StatementBegan>(&told)) {
                    text_ = std::string(began->text) + " -- </script>" + markup;
                    began->text = text_;
                }
                sinks_.at(lane)->accept(told);
            });
    }

    proxy::Log log_{proxy::LogFormat::text, static_cast<proxy::LogLevel>(99)};
    Tap tap_{options(), log_};
    proxy::RelayCounters counters_;
    std::array<std::unique_ptr<history::EventSink>, 2> sinks_;
    std::string text_;
    proxy::LiveApi api_{tap_};
    proxy::Pages pages_{{.metrics = [] { return std::string(); },
                         .ready = [] { return true; },
                         .page = proxy::embedded_text("page.html"),
                         .api = [this](std::string_view path) { return api_.answer(path); },
                         .feed = [this](std::uint64_t after) { return feed(after); }},
                        ""};
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    proxy::HttpServer server_{io_, proxy::Address{"127.0.0.1", 0}, pages_};
    std::thread traffic_;
    std::thread thread_;
};

/// What the page has become after these steps of browse.py.
Finished browse(const std::string& program, const std::string& url,
                const std::vector<std::string>& steps) {
    const TemporaryFolder profile;
    std::vector<std::string> words{
        "/usr/bin/python3",
        std::string(std::getenv("ISOTAP_SOURCE")) + "/tests/integration/browse.py", program, url,
        profile.path().string()};
    words.insert(words.end(), steps.begin(), steps.end());
    return run({.arguments = words}, std::chrono::seconds(120));
}

TEST(LivePage, ShowsAnAnomalyWhenItHappensWithItsCycleAndItsStatements) {
    const auto program = browser();
    if (!program) {
        GTEST_SKIP() << "SKIPPED: there is no chromium on this machine: install it with ./dev deps";
    }
    const LivePage page;
    const Finished shown = browse(*program, page.url() + "#1",
                                  {"document.querySelector('#detail .edge') !== null && "
                                   "document.getElementById('verdict').textContent === 'hazard'"});
    EXPECT_EQ(shown.exit_code, 0) << "it did not appear";
    const std::string& dom = shown.output;
    EXPECT_THAT(dom, HasSubstr("id=\"link\" class=\"soft\" role=\"status\">live<"));
    EXPECT_THAT(dom, HasSubstr("class=\"badge hazard\">hazard<"));
    EXPECT_THAT(dom, HasSubstr("#1 G2-item, write skew</h2>"));
    EXPECT_THAT(dom, HasSubstr("class=\"edge rw\" tabindex=\"0\" role=\"button\""));
    EXPECT_THAT(dom, HasSubstr("<td><strong>committed</strong></td>"));
    EXPECT_THAT(dom, HasSubstr("<ul class=\"advice\">"));
    EXPECT_THAT(dom, HasSubstr("&lt;img src=x onerror="));
    EXPECT_THAT(dom, Not(HasSubstr("<img")));
    EXPECT_THAT(dom, HasSubstr("<title>isotap</title>"));
}

TEST(LivePage, IsUsedByKeyboard) {
    const auto program = browser();
    if (!program) {
        GTEST_SKIP() << "SKIPPED: there is no chromium on this machine: install it with ./dev deps";
    }
    const LivePage page;
    const std::string an_edge_says_why =
        "document.activeElement.classList.contains('edge') && "
        "document.getElementById('reason').textContent === "
        "document.activeElement.getAttribute('aria-label') + '.'";
    const Finished used = browse(
        *program, page.url(),
        {"document.querySelector('#list button') !== null", "press Tab",
         "document.activeElement.id === 'theme'", "press Enter",
         "document.documentElement.dataset.theme !== undefined", "press j",
         "document.activeElement.getAttribute('aria-current') === 'true' && "
         "document.querySelector('#detail h2').textContent.startsWith('#1 ')",
         "press Tab", an_edge_says_why + " && (window.first = document.activeElement) !== null",
         "press Tab", an_edge_says_why + " && document.activeElement !== window.first"});
    EXPECT_EQ(used.exit_code, 0) << used.output.substr(0, used.output.find('<'));
}

}  // namespace
}  // namespace isotap::test
