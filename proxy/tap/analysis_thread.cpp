#include "proxy/tap/analysis_thread.hpp"

#include <algorithm>
#include <chrono>
#include <pthread.h>

#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {
namespace {

using Clock = std::chrono::steady_clock;

/// Events taken from one ring before the others are looked at.
constexpr std::size_t batch = 128;

/// A cycle is told at most this much after the commit that closed it.
constexpr std::chrono::milliseconds search_interval{250};

/// A search of a large graph may take long: then at most a quarter of the time goes into searches.
constexpr int rest_per_search = 3;

/// Relay threads never wake anybody: they have better things to do. To wake up costs as much as a
/// good many events, so they are left to gather for a while.
constexpr std::chrono::milliseconds shortest_pause{4};
constexpr std::chrono::milliseconds longest_pause{16};

/// Unless they have filled this part of a ring meanwhile: it may be a small one.
constexpr std::size_t hurry_share = 8;
constexpr std::chrono::milliseconds hurried_pause{1};

}  // namespace

void AnalysisThread::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "analysis");
        run();
    });
}

void AnalysisThread::stop() {
    if (!thread_.joinable()) {
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

std::chrono::nanoseconds AnalysisThread::still_for() const noexcept {
    const std::int64_t looked = looked_.load(std::memory_order_relaxed);
    return std::chrono::nanoseconds{looked == 0 ? 0
                                                : Clock::now().time_since_epoch().count() - looked};
}

void AnalysisThread::run() {
    Clock::time_point next_search = Clock::now() + search_interval;
    bool stopping = false;
    bool news = false;
    while (true) {
        const bool took = drain_some();
        const auto now = Clock::now();
        looked_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
        if (took) {
            news = true;
        } else if (stopping) {
            break;
        }
        if (now >= next_search && (news || (!took && analyst_.is_due(system_now())))) {
            took ? analyst_.search() : analyst_.pass_time(system_now());
            news = false;
            const auto took_so_long = Clock::now() - now;
            next_search = Clock::now() + std::max<Clock::duration>(search_interval,
                                                                   rest_per_search * took_so_long);
        }
        if (!took) {
            rest();
        }
        const std::lock_guard lock(mutex_);
        stopping = stopping_;
    }
    analyst_.finish();
    looked_.store(0, std::memory_order_relaxed);
    for (EventRing* ring : rings_) {
        ring->close();
    }
}

bool AnalysisThread::drain_some() {
    std::size_t furthest_behind = rings_.size();
    for (std::size_t i = 0; i < rings_.size(); ++i) {
        if (rings_[i]->depth() > 0 &&
            (furthest_behind == rings_.size() || clocks_[i] < clocks_[furthest_behind])) {
            furthest_behind = i;
        }
    }
    if (furthest_behind == rings_.size()) {
        return false;
    }
    EventRing& ring = *rings_[furthest_behind];
    pause_ = std::min(pause_,
                      ring.depth() > ring.slots() / hurry_share ? hurried_pause : shortest_pause);
    ring.drain(batch, [&](const EventRing::Slot& slot) {
        if (const Time at = time_of(slot.event); at != Time{}) {
            clocks_[furthest_behind] = std::max(clocks_[furthest_behind], at);
        }
        analyst_.accept(furthest_behind, slot.event, slot.restart);
    });
    return true;
}

void AnalysisThread::rest() {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, pause_, [this] { return stopping_; });
    pause_ = std::min(2 * pause_, longest_pause);
}

}  // namespace isotap::proxy
