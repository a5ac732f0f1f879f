#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "proxy/tap/analyst.hpp"
#include "proxy/tap/event_ring.hpp"

namespace isotap::proxy {

/// Empties the rings of all relay threads and has the events looked at.
///
/// Between rings, events go by the time that they carry as far as it matters: the ring that is
/// furthest behind is emptied first, a few events at a time, so that none lags behind another by
/// more than the engine allows for.
class AnalysisThread {
  public:
    /// Rings and analyst must outlive it.
    AnalysisThread(std::vector<EventRing*> rings, Analyst& analyst)
        : rings_(std::move(rings)), clocks_(rings_.size()), analyst_(analyst) {}
    ~AnalysisThread() { stop(); }
    AnalysisThread(const AnalysisThread&) = delete;
    AnalysisThread& operator=(const AnalysisThread&) = delete;

    void start();

    /// How long it has not looked at the rings; zero once it has ended. From any thread.
    [[nodiscard]] std::chrono::nanoseconds still_for() const noexcept;

    /// The producers have ended: takes what is left, finishes the analysis, joins.
    void stop();

  private:
    void run();
    bool drain_some();
    void rest();

    std::vector<EventRing*> rings_;
    std::vector<Time> clocks_;  ///< of the last event with a time, for each ring
    Analyst& analyst_;
    std::atomic<std::int64_t> looked_{0};  ///< when, by the steady clock; 0: not running
    std::chrono::milliseconds pause_{1};
    std::mutex mutex_;
    std::condition_variable wake_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace isotap::proxy
