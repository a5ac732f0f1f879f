#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/net/ring.hpp"

namespace isotap::proxy {

/// What has changed about a descriptor since the last time. Nothing at all: it is merely the
/// watcher's turn again.
struct Ready {
    bool readable = false;
    bool writable = false;
    bool ended = false;  ///< the peer sends no more, or the connection broke
};

/// Is told when a descriptor is ready, on the poller's thread.
class Watcher {
  public:
    Watcher() = default;
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;
    virtual ~Watcher() = default;

    virtual void on_ready(Ready ready) = 0;
};

/// Waits for many descriptors on one thread.
///
/// Edge-triggered: what was told once is not told again until more has come, so a watcher must
/// remember that it is readable until a read came up short. That spares the one read in vain per
/// message that made us leave Asio here (ADR 0007). Where there is a ring (ADR 0008), connections
/// are served by that, and what is watched here is the rest: listeners, dialling, jobs, the clock.
///
/// All calls but `post` are for the thread that runs it.
class Poller {
  public:
    using Job = std::function<void()>;

    /// Throws StartupError when what is asked for by name cannot be had. `buffer_size` is what the
    /// ring receives at once.
    explicit Poller(Io io = Io::epoll, std::size_t buffer_size = 0);
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    /// By which connections are served; null where there is none.
    [[nodiscard]] Ring* ring() noexcept { return ring_.get(); }

    /// Tells `watcher` about the descriptor from now on, and nobody else. Ends when the descriptor
    /// is closed; the watcher must be kept until then, and past it: see `keep`.
    void watch(int descriptor, Watcher& watcher);

    /// Says no more of a descriptor that stays open.
    void forget(int descriptor);

    /// Calls `on_ready` once more when everybody else has had a turn.
    void again(std::shared_ptr<Watcher> watcher);

    /// Keeps a watcher whose descriptor was closed until nothing can call it any more.
    void keep(std::shared_ptr<void> watcher);

    /// Calls `tick` about every `interval`. Once.
    void every(std::chrono::milliseconds interval, Job tick);

    /// Calls `job` once, at that time or soon after it.
    void at(std::chrono::steady_clock::time_point time, Job job);

    /// Any thread: runs `job` on the poller's, later, unless it is stopped before.
    void post(Job job);

    /// Waits and calls until `stop`.
    void run();

    /// Waits once, for at least one event, and calls.
    void run_one();

    void stop() noexcept { stopped_ = true; }

  private:
    class Bell;
    class RingBell;

    [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const;
    void take_events(int patience_ms);
    void run_due();
    void run_jobs();
    void take_turns();

    std::unique_ptr<Ring> ring_;
    std::unique_ptr<RingBell> ring_bell_;
    Descriptor epoll_;
    Descriptor wake_;
    Descriptor timer_;
    std::shared_ptr<Watcher> bell_;
    std::shared_ptr<Watcher> clock_;
    bool stopped_ = false;
    std::multimap<std::chrono::steady_clock::time_point, Job> due_;
    std::vector<std::shared_ptr<Watcher>> again_;
    std::vector<std::shared_ptr<Watcher>> turns_;
    std::vector<std::shared_ptr<void>> kept_;
    std::mutex mutex_;
    std::vector<Job> jobs_;  // under mutex_
};

}  // namespace isotap::proxy
