#include "proxy/tap/alerts.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proxy/tap/alert_command.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/proxy/tap/tls_receiver.hpp"

namespace isotap::proxy {
namespace {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Answers one request after the other with the given codes, the last one for ever.
class Receiver {
  public:
    explicit Receiver(std::vector<int> codes) : codes_(std::move(codes)) {
        thread_ = std::thread([this] { serve(); });
    }
    ~Receiver() {
        stopping_ = true;
        // Its accept comes back for one more connection.
        boost::asio::io_context io;
        tcp::socket last(io);
        boost::system::error_code ignored;
        last.connect(acceptor_.local_endpoint(), ignored);
        last.close(ignored);
        thread_.join();
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    [[nodiscard]] std::string url() const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }
    /// What came, once so much has.
    std::vector<std::string> wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        came_.wait_for(lock, 20s, [&] { return requests_.size() >= count; });
        return requests_;
    }

  private:
    void serve() {
        while (!stopping_) {
            tcp::socket client(io_);
            acceptor_.accept(client);
            boost::asio::streambuf buffer;
            boost::system::error_code error;
            const std::size_t head = boost::asio::read_until(client, buffer, "\r\n\r\n", error);
            if (error) {
                continue;
            }
            std::string request(boost::asio::buffers_begin(buffer.data()),
                                boost::asio::buffers_end(buffer.data()));
            const std::size_t at = request.find("Content-Length: ") + 16;
            const std::size_t all = head + std::stoul(request.substr(at));
            while (request.size() < all) {
                std::array<char, 4'096> chunk{};
                request.append(chunk.data(), client.read_some(boost::asio::buffer(chunk)));
            }
            const int code = codes_.size() > 1 ? take_code() : codes_.front();
            boost::asio::write(client,
                               boost::asio::buffer("HTTP/1.1 " + std::to_string(code) +
                                                   " x\r\nContent-Length: 0\r\n\r\n"),
                               error);
            const std::lock_guard lock(mutex_);
            requests_.push_back(request);
            came_.notify_all();
        }
    }
    int take_code() {
        const int code = codes_.front();
        codes_.erase(codes_.begin());
        return code;
    }

    boost::asio::io_context io_;
    tcp::acceptor acceptor_{io_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
    std::vector<int> codes_;
    std::atomic<bool> stopping_{false};
    std::mutex mutex_;
    std::condition_variable came_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

AnomalyRecord record_on(const std::string& table,
                        analysis::AnomalyType type = analysis::AnomalyType::g2) {
    AnomalyRecord record;
    record.anomaly.id = 1;
    record.anomaly.kind = {type, false, analysis::Order::none};
    record.anomaly.severity = analysis::Severity::hazard;
    analysis::CycleEdge edge;
    edge.from = history::TransactionId{1};
    edge.to = history::TransactionId{2};
    edge.kind = analysis::EdgeKind::rw;
    edge.table = history::NameId{1};
    analysis::CycleEdge back = edge;
    std::swap(back.from, back.to);
    record.anomaly.edges = {edge, back};
    record.tables[history::NameId{1}] = table;
    return record;
}

AlertOptions to_webhook(const std::string& url) {
    AlertOptions options;
    options.webhook = url;
    return options;
}

AlertOptions to_alertmanager(const std::string& url) {
    AlertOptions options;
    options.alertmanager = url;
    return options;
}

constexpr Alerts::Pace quick{5ms, 5, 5s, 30};

class AlertsTest : public ::testing::Test {
  protected:
    Log log_{LogFormat::text, static_cast<LogLevel>(99)};
};

TEST_F(AlertsTest, TryAgainUntilTheWebhookTakesIt) {
    Receiver receiver({503, 500, 200});
    Alerts alerts(to_webhook(receiver.url() + "/hook"), "mysql", log_, quick);
    alerts.start();
    alerts.offer(record_on("account"));
    const auto requests = receiver.wait_for(3);
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_THAT(requests.at(2), StartsWith("POST /hook HTTP/1.1"));
    EXPECT_THAT(requests.at(2), HasSubstr("\r\nHost: " + receiver.url().substr(7) + "\r\n"));
    const auto body =
        boost::json::parse(requests.at(2).substr(requests.at(2).find("\r\n\r\n") + 4));
    EXPECT_EQ(body.at("anomalies").at(0).at("type").as_string(), "G2-item");
    EXPECT_EQ(body.at("anomalies").at(0).at("cycle").at(0).at("table").as_string(), "account");
    alerts.stop();
    EXPECT_EQ(alerts.figures().sent, 1U);
    EXPECT_EQ(alerts.figures().failed, 0U);
}

TEST_F(AlertsTest, GoOverTlsAndTryAgainThere) {
    const test::TemporaryFolder folder;
    const test::CertificateAuthority authority(folder.path() / "ours");
    testing::TlsReceiver receiver(authority.issue("localhost"), {503, 204});
    AlertOptions options = to_webhook(receiver.url("localhost"));
    options.authorities = authority.root();
    Alerts alerts(options, "mysql", log_, quick);
    alerts.start();
    alerts.offer(record_on("account"));
    EXPECT_EQ(receiver.wait_for_clients(2), 2U);
    alerts.stop();
    const auto requests = receiver.requests();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_THAT(requests.back(), HasSubstr("\"type\":\"G2-item\""));
    EXPECT_EQ(alerts.figures().sent, 1U);
}

TEST_F(AlertsTest, TellNothingToWhomNobodySignedFor) {
    const test::TemporaryFolder folder;
    const test::CertificateAuthority authority(folder.path() / "ours");
    const test::CertificateAuthority other(folder.path() / "others");
    testing::TlsReceiver receiver(authority.issue("localhost"));
    AlertOptions options = to_webhook(receiver.url("localhost"));
    options.authorities = other.root();
    Alerts alerts(options, "mysql", log_, quick);
    alerts.start();
    alerts.offer(record_on("account"));
    EXPECT_EQ(receiver.wait_for_clients(quick.tries), quick.tries);
    alerts.stop();
    EXPECT_TRUE(receiver.requests().empty());
    EXPECT_EQ(alerts.figures().failed, 1U);
}

TEST_F(AlertsTest, TellEachPatternOnItsTablesOnce) {
    Receiver receiver({200});
    Alerts alerts(to_webhook(receiver.url()), "mysql", log_, quick);
    alerts.start();
    for (int i = 0; i < 5; ++i) {
        alerts.offer(record_on("account"));
        alerts.offer(record_on("orders"));
        alerts.offer(record_on("account", analysis::AnomalyType::lost_update));
    }
    EXPECT_EQ(receiver.wait_for(3).size(), 3U);
    alerts.stop();
    EXPECT_EQ(alerts.figures().sent, 3U);
    EXPECT_EQ(alerts.figures().suppressed, 12U);
}

TEST_F(AlertsTest, TellNoMoreThanSoManyInAMinute) {
    Receiver receiver({200});
    Alerts::Pace pace = quick;
    pace.each_minute = 4;
    Alerts alerts(to_webhook(receiver.url()), "mysql", log_, pace);
    alerts.start();
    for (int i = 0; i < 10; ++i) {
        alerts.offer(record_on("table" + std::to_string(i)));
    }
    receiver.wait_for(4);
    alerts.stop();
    EXPECT_EQ(alerts.figures().sent, 4U);
    EXPECT_EQ(alerts.figures().suppressed, 6U);
}

TEST_F(AlertsTest, SpeakTheLanguageOfTheAlertmanager) {
    Receiver receiver({200});
    Alerts alerts(to_alertmanager(receiver.url() + "/"), "postgresql", log_, quick);
    alerts.start();
    alerts.offer(record_on("account"));
    const std::string request = receiver.wait_for(1).at(0);
    EXPECT_THAT(request, StartsWith("POST /api/v2/alerts HTTP/1.1"));
    const auto body = boost::json::parse(request.substr(request.find("\r\n\r\n") + 4));
    EXPECT_EQ(body.at(0).at("labels").at("alertname").as_string(), "IsotapAnomaly");
    EXPECT_EQ(body.at(0).at("labels").at("tables").as_string(), "account");
    EXPECT_FALSE(body.at(0).at("annotations").at("description").as_string().empty());
}

TEST_F(AlertsTest, GiveUpInTheEndAndDoNotHoldUpTheStop) {
    Alerts alerts(to_webhook("http://127.0.0.1:1/"), "mysql", log_, {1h, 5, 5s, 30});
    alerts.start();
    alerts.offer(record_on("account"));
    alerts.stop();
    EXPECT_EQ(alerts.figures().failed, 1U);
}

TEST_F(AlertsTest, DoNotWaitForEachThatIsLeftWhenNobodyAnswers) {
    AlertOptions options;
    options.command = "exec tail -f /dev/null";
    Alerts alerts(options, "mysql", log_, {1h, 5, 50ms, 30});
    alerts.start();
    constexpr int all = 20;
    for (int i = 0; i < all; ++i) {
        alerts.offer(record_on("table" + std::to_string(i)));
    }
    const auto began = std::chrono::steady_clock::now();
    alerts.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, all * 50ms);
    EXPECT_EQ(alerts.figures().failed, static_cast<std::uint64_t>(all));
}

TEST(AlertCommand, GetsTheAlertOnItsInput) {
    const auto file = std::filesystem::temp_directory_path() /
                      ("isotap-alert-" + std::to_string(std::random_device{}()));
    EXPECT_EQ(run_alert_command("cat > " + file.string(), "{\"a\":1}\n", 5s), "");
    std::ifstream in(file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "{\"a\":1}\n");
    std::filesystem::remove(file);
    EXPECT_EQ(run_alert_command("exit 3", "", 5s), "it ended with 3");
    EXPECT_EQ(run_alert_command("kill -TERM $$", "", 5s), "it was ended by signal 15");
    EXPECT_THAT(run_alert_command("exec tail -f /dev/null", "", 50ms), HasSubstr("killed"));
    EXPECT_EQ(run_alert_command("true", std::string(1'000'000, 'x'), 5s), "") << "reads nothing";
}

}  // namespace
}  // namespace isotap::proxy
