// When analysis or recording cannot go on, clients do; and nobody is told that all is well.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <vector>

#include <boost/json.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// One thread of a child process, held as a debugger holds it.
class HeldThread {
  public:
    HeldThread(pid_t process, const std::string& name) {
        for (const auto& task :
             fs::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
            std::string known;
            std::ifstream(task.path() / "comm") >> known;
            if (known == name) {
                id_ = std::stoi(task.path().filename().string());
            }
        }
        if (id_ == 0 || ptrace(PTRACE_SEIZE, id_, 0, 0) != 0) {
            throw std::runtime_error("cannot hold the thread " + name);
        }
        int status = 0;
        if (ptrace(PTRACE_INTERRUPT, id_, 0, 0) != 0 || waitpid(id_, &status, __WALL) != id_) {
            throw std::runtime_error("cannot stop the thread " + name);
        }
    }
    ~HeldThread() { ptrace(PTRACE_DETACH, id_, 0, 0); }
    HeldThread(const HeldThread&) = delete;
    HeldThread& operator=(const HeldThread&) = delete;

  private:
    pid_t id_ = 0;
};

class LiveOverload : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        server_ = std::make_unique<PostgresServer>();
        server_->sql(
            "create table account (id int primary key, balance int not null);"
            "insert into account values (1, 0)");
    }
    static void TearDownTestSuite() { server_.reset(); }

    void start(std::vector<std::string> more, std::optional<User> run_as = std::nullopt) {
        std::vector<std::string> options{
            "--mode", "instrument", "--admin", "127.0.0.1:0", "--limits.plan-wait",
            "30s",    "--flush-ms", "10",      "--record",    file_};
        options.insert(options.end(), more.begin(), more.end());
        isotap_ = std::make_unique<IsotapProcess>(server_->url(), options, run_as);
        client_ = std::make_unique<PostgresWire>(Endpoint{.port = isotap_->port()});
        client_->start();
    }
    Clock::duration run(int statements) {
        const auto began = Clock::now();
        for (int i = 0; i < statements; ++i) {
            const auto answer =
                client_->query("update account set balance = balance + 1 where id = 1");
            EXPECT_EQ(answer.back().type, 'Z');
            EXPECT_EQ(error_in(answer).text, "");
        }
        return Clock::now() - began;
    }
    json::value status() { return json::parse(isotap_->get("/api/status")); }
    std::string verdict() { return std::string(status().at("verdict").as_string()); }

    /// Statements until the metric has that value.
    template <typename Condition>
    void run_until(const char* metric, Condition holds) {
        const auto deadline = Clock::now() + 60s;
        while (!holds(isotap_->metrics().at(metric))) {
            ASSERT_LT(Clock::now(), deadline) << metric;
            run(10);
        }
    }
    /// What `isotap check` says of the recording.
    [[nodiscard]] json::value checked() const {
        const Finished finished =
            test::run({.arguments = {isotap_program(), "check", "--json", file_}});
        // In front of it may stand why it does not say 'clean'.
        const std::size_t begin = std::min(finished.output.find('{'), finished.output.size());
        return json::parse(std::string_view(finished.output).substr(begin));
    }

    static std::unique_ptr<PostgresServer> server_;
    TemporaryFolder folder_{unprivileged_user()};
    std::string file_ = folder_.path() / "overload.isotap";
    std::unique_ptr<IsotapProcess> isotap_;
    std::unique_ptr<PostgresWire> client_;
};

std::unique_ptr<PostgresServer> LiveOverload::server_;

TEST_F(LiveOverload, ClientsRunAtFullSpeedWhileAnalysisIsHeldInADebuggerAndTheDiskHangs) {
    start({"--limits.ring-events", "64"});
    run(2);
    const auto deadline = Clock::now() + 30s;
    while (verdict() != "clean") {
        ASSERT_LT(Clock::now(), deadline) << status();
    }
    constexpr int statements = 1'000;
    Clock::duration held{};
    {
        const HeldThread analysis(isotap_->process().id(), "analysis");
        const HeldThread recorder(isotap_->process().id(), "recorder");
        held = run(statements);
        EXPECT_EQ(verdict(), "unknown") << "nobody has looked at what was lost";
        const auto metrics = isotap_->metrics();
        EXPECT_GT(metrics.at("isotap_gaps_total"), 0);
        EXPECT_GT(metrics.at("isotap_events_lost_total"), statements);
    }
    const Clock::duration free = run(statements);
    EXPECT_LT(held, 3 * free + 5s);  // who waited for them would wait for ever
    EXPECT_EQ(verdict(), "unknown");
    client_.reset();
    EXPECT_EQ(isotap_->stop(), 0);
    const json::value found = checked();
    EXPECT_EQ(found.at("verdict").as_string(), "unknown");
    EXPECT_TRUE(found.at("anomalies").as_array().empty()) << found;
}

/// The alert for a recording that has ended goes by what is lost, too.
TEST_F(LiveOverload, ARecordingThatCannotBeginCountsWhatItDoesNotHave) {
    file_ = folder_.path() / "nowhere" / "captured.isotap";
    start({});
    run_until("isotap_recording_lost_total", [](double events) { return events > 0; });
    EXPECT_EQ(isotap_->metrics().at("isotap_recording"), 0);
    EXPECT_EQ(isotap_->metrics().at("isotap_recorded_events_total"), 0);
    client_.reset();
    EXPECT_EQ(isotap_->stop(), 0);
}

TEST_F(LiveOverload, AFullDiskEndsTheRecordingAndNothingElse) {
    start({});
    run_until("isotap_recorded_events_total", [](double events) { return events > 100; });
    const rlimit full{fs::file_size(file_ + "-wal") + 4'096, RLIM_INFINITY};
    ASSERT_EQ(prlimit(isotap_->process().id(), RLIMIT_FSIZE, &full, nullptr), 0);
    run_until("isotap_recording", [](double value) { return value == 0; });
    isotap_->process().wait_for_line("nothing is recorded any more");
    EXPECT_NE(status().at("recording").at("error").as_string(), "");
    EXPECT_GT(status().at("recording").at("lost").to_number<int>(), 0);
    run(100);
    client_.reset();
    EXPECT_EQ(isotap_->stop(), 0);
    const json::value found = checked();
    EXPECT_GT(found.at("transactions").at("committed").to_number<int>(), 0);
    EXPECT_TRUE(found.at("anomalies").as_array().empty()) << found;
}

TEST_F(LiveOverload, AFolderThatIsReadOnlyIsToldAndTrafficPasses) {
    fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
    start({}, unprivileged_user());
    isotap_->process().wait_for_line("nothing is recorded any more");
    run(10);
    EXPECT_NE(status().at("recording").at("error").as_string(), "");
    client_.reset();
    EXPECT_EQ(isotap_->stop(), 0);
    EXPECT_FALSE(fs::exists(file_));
}

TEST_F(LiveOverload, AFolderThatBecomesReadOnlyKeepsTheRecordingInOneFile) {
    start({"--rotate-size", "512KiB"}, unprivileged_user());
    fs::permissions(folder_.path(), fs::perms::owner_read | fs::perms::owner_exec);
    const auto deadline = Clock::now() + 60s;
    while (isotap_->log().find("the recording stays in one file") == std::string::npos) {
        ASSERT_LT(Clock::now(), deadline);
        run(100);
    }
    const auto before = isotap_->metrics().at("isotap_recorded_events_total");
    const auto patience = Clock::now() + 30s;
    while (isotap_->metrics().at("isotap_recorded_events_total") <= before) {
        ASSERT_LT(Clock::now(), patience);
        run(10);
    }
    EXPECT_EQ(status().at("recording").at("error").as_string(), "");
}

}  // namespace
}  // namespace isotap::test
