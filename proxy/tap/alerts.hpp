#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "isotap/proxy/options.hpp"

#include "proxy/ops/log.hpp"
#include "proxy/tap/bulletin.hpp"

namespace isotap::proxy {

struct AlertFigures {
    std::uint64_t sent = 0;        ///< messages that somebody took
    std::uint64_t failed = 0;      ///< given up after the last try
    std::uint64_t suppressed = 0;  ///< repeated too soon, or too many at once
};

/// Tells of anomalies over HTTP and by commands, on a thread of its own: slow or dead receivers
/// make nobody wait. The same pattern on the same tables is told once per `repeat`, and no more
/// than so many are told in a minute: the rest is counted, and stands in page and recording.
class Alerts {
  public:
    struct Pace {
        std::chrono::milliseconds first_retry{1'000};  ///< doubles with each further try
        unsigned tries = 5;
        std::chrono::milliseconds patience{10'000};  ///< for one try
        std::size_t each_minute = 30;
    };

    /// `log` must outlive it. `engine`: what the alerts call the server.
    Alerts(AlertOptions options, std::string engine, Log& log, Pace pace);
    Alerts(AlertOptions options, std::string engine, Log& log)
        : Alerts(std::move(options), std::move(engine), log, Pace{}) {}
    ~Alerts() { stop(); }
    Alerts(const Alerts&) = delete;
    Alerts& operator=(const Alerts&) = delete;

    void start();

    /// On the analysis thread.
    void offer(const AnomalyRecord& record);

    /// One more try for what waits, as far as the patience for one try reaches; then the end.
    void stop();

    [[nodiscard]] AlertFigures figures() const;

  private:
    using Clock = std::chrono::steady_clock;

    struct Message {
        enum class Way : std::uint8_t { webhook, alertmanager, command };
        Way way{};
        std::string body;
    };

    [[nodiscard]] bool is_due(const std::string& key);
    void enqueue(Message::Way way, std::string body);
    void run();
    void give_up();  ///< the caller holds the mutex
    void deliver(const Message& message);
    [[nodiscard]] std::string attempt(const Message& message) const;
    bool pause(std::chrono::milliseconds time);

    AlertOptions options_;
    std::string engine_;
    Log& log_;
    Pace pace_;

    // on the analysis thread
    std::map<std::string, Clock::time_point> told_;
    std::deque<Clock::time_point> last_minute_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Message> waiting_;
    AlertFigures figures_;
    bool stopping_ = false;
    Clock::time_point last_try_;  ///< once stopping: no try begins later
    std::thread thread_;
};

}  // namespace isotap::proxy
