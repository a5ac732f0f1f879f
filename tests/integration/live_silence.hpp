#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "tests/support/isotap_process.hpp"

namespace isotap::test {

/// How many clients contend, and for what.
constexpr int silence_clients = 32;
constexpr int silence_accounts = 20;
constexpr int silence_start_balance = 1'000;

/// How long they do: ISOTAP_SILENCE_SECONDS, or a few.
std::chrono::seconds silence_duration();

/// Words of one level or workload as they may stand in the name of a test.
std::string test_name(std::string words);

/// An isotap that instruments and loses nothing, in front of a server of tests, and how its memory
/// goes. With ISOTAP_SILENCE_RECORD=FOLDER what it sees is kept there, under the name of the test.
/// One thread; a thread of its own looks at the memory.
class WatchedIsotap {
  public:
    explicit WatchedIsotap(const std::string& upstream);
    ~WatchedIsotap();
    WatchedIsotap(const WatchedIsotap&) = delete;
    WatchedIsotap& operator=(const WatchedIsotap&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return isotap_.port(); }

    /// What `/api/anomalies` says when all clients have gone and all that they did is analysed.
    /// Says so on the standard output as well, in a line.
    boost::json::value told();

  private:
    void watch();

    IsotapProcess isotap_;
    std::vector<std::size_t> resident_;  ///< bytes, one for each interval
    bool ended_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread watcher_;
};

/// A number of a report, such as `transactions.committed`.
std::uint64_t number_in(const boost::json::value& told, const char* group, const char* name);

/// Names of what was found, each of them permitted at its level: whatever is not fails the test.
std::vector<std::string> names_of_hazards(const boost::json::value& told);

/// Fails the test unless nothing was found, and the verdict is as good as the coverage permits.
void expect_silence(const boost::json::value& told);

/// sysbench's transactions of reads, ranges and writes on a table of its own, all clients at once;
/// `connection` says to which server, by sysbench's options. Transactions that stand in each
/// other's way are tried again.
class Sysbench {
  public:
    explicit Sysbench(std::vector<std::string> connection) : connection_(std::move(connection)) {}

    /// The table, full.
    void prepare() const;
    /// At a level, in the words of SQL.
    void run(const std::string& level) const;

    static constexpr int rows = 10'000;

  private:
    [[nodiscard]] std::vector<std::string> command(const std::string& word) const;

    std::vector<std::string> connection_;
};

}  // namespace isotap::test
