#include "proxy/net/poller.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <system_error>
#include <utility>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

namespace {

constexpr int events_at_once = 64;

Descriptor owned(int descriptor, const char* what) {
    if (descriptor < 0) {
        throw std::system_error(errno, std::generic_category(), what);
    }
    return Descriptor(descriptor);
}

Ready ready_of(std::uint32_t events) noexcept {
    const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
    return {broken || (events & (EPOLLIN | EPOLLRDHUP)) != 0, broken || (events & EPOLLOUT) != 0,
            broken || (events & EPOLLRDHUP) != 0};
}

}  // namespace

/// Something of the poller's own that became ready.
class Poller::Bell final : public Watcher {
  public:
    explicit Bell(Job job) : job_(std::move(job)) {}
    void on_ready(Ready /*ready*/) override { job_(); }

  private:
    Job job_;
};

/// Knows when epoll has something to tell, while the thread waits for the ring.
class Poller::RingBell final : public Ring::Asker {
  public:
    RingBell(Ring& ring, int epoll) : ring_(ring), epoll_(epoll) { ring_.poll(epoll_, *this); }
    void on_done(Ring::Operation& /*operation*/, int /*result*/) override { rung_ = true; }

    /// Whether it has rung since the last time. It rings again for what is still there.
    bool take() {
        if (!std::exchange(rung_, false)) {
            return false;
        }
        ring_.poll(epoll_, *this);
        return true;
    }

  private:
    Ring& ring_;
    int epoll_;
    bool rung_ = false;
};

Poller::Poller(Io io, std::size_t buffer_size)
    : ring_(io == Io::epoll ? nullptr : Ring::open(buffer_size)),
      epoll_(owned(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_(owned(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      bell_(std::make_shared<Bell>([this] { run_jobs(); })) {
    watch(wake_.get(), *bell_);
    if (ring_) {
        ring_bell_ = std::make_unique<RingBell>(*ring_, epoll_.get());
    } else if (io == Io::io_uring) {
        throw StartupError(StartupError::Kind::failure,
                           "this system does not let us use io_uring: leave io out, or set epoll");
    }
}

Poller::~Poller() = default;

void Poller::forget(int descriptor) {
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
}

void Poller::watch(int descriptor, Watcher& watcher) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.ptr = &watcher;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0 && errno == EEXIST) {
        epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
    }
}

void Poller::again(std::shared_ptr<Watcher> watcher) {
    again_.push_back(std::move(watcher));
}

void Poller::keep(std::shared_ptr<void> watcher) {
    kept_.push_back(std::move(watcher));
}

void Poller::every(std::chrono::milliseconds interval, Job tick) {
    timer_ = owned(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
    clock_ = std::make_shared<Bell>([this, tick = std::move(tick)] {
        // A timer that is not read does not start over.
        std::uint64_t expirations = 0;
        if (::read(timer_.get(), &expirations, sizeof expirations) == sizeof expirations) {
            tick();
        }
    });
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(interval);
    const std::chrono::nanoseconds rest = interval - seconds;
    itimerspec spec{};
    spec.it_interval.tv_sec = seconds.count();
    spec.it_interval.tv_nsec = rest.count();
    spec.it_value = spec.it_interval;
    timerfd_settime(timer_.get(), 0, &spec, nullptr);
    watch(timer_.get(), *clock_);
}

void Poller::post(Job job) {
    bool first = false;
    {
        const std::lock_guard lock(mutex_);
        first = jobs_.empty();
        jobs_.push_back(std::move(job));
    }
    if (first) {
        eventfd_write(wake_.get(), 1);
    }
}

void Poller::run() {
    while (!stopped_) {
        run_one();
    }
    if (ring_) {
        ring_->wait(std::chrono::milliseconds(0));  // sockets that were closed in the last turn
    }
}

void Poller::run_one() {
    if (ring_) {
        ring_->wait(patience());
        if (ring_bell_->take()) {
            take_events(0);
        }
    } else {
        const auto limit = patience();
        take_events(limit ? static_cast<int>(limit->count()) : -1);
    }
    run_due();
    take_turns();
    kept_.clear();
}

void Poller::take_events(int patience_ms) {
    std::array<epoll_event, events_at_once> events;
    const int found = epoll_wait(epoll_.get(), events.data(), events_at_once, patience_ms);
    for (int i = 0; i < found; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        static_cast<Watcher*>(event.data.ptr)->on_ready(ready_of(event.events));
    }
}

/// None: for ever.
std::optional<std::chrono::milliseconds> Poller::patience() const {
    using std::chrono::milliseconds;
    if (!again_.empty()) {
        return milliseconds(0);
    }
    if (due_.empty()) {
        return std::nullopt;
    }
    const auto left =
        std::chrono::ceil<milliseconds>(due_.begin()->first - std::chrono::steady_clock::now());
    return std::clamp(left, milliseconds(0), milliseconds(1'000));
}

void Poller::at(std::chrono::steady_clock::time_point time, Job job) {
    due_.emplace(time, std::move(job));
}

void Poller::run_due() {
    while (!due_.empty() && due_.begin()->first <= std::chrono::steady_clock::now()) {
        const Job job = std::move(due_.extract(due_.begin()).mapped());
        job();
    }
}

void Poller::run_jobs() {
    std::vector<Job> jobs;
    {
        const std::lock_guard lock(mutex_);
        jobs.swap(jobs_);
    }
    for (const Job& job : jobs) {
        job();
    }
}

void Poller::take_turns() {
    if (again_.empty()) {
        return;
    }
    turns_.swap(again_);
    for (const auto& watcher : turns_) {
        watcher->on_ready({});
    }
    turns_.clear();
}

}  // namespace isotap::proxy
