#include "proxy/relay/relay_thread.hpp"

#include <chrono>
#include <utility>

#include "proxy/relay/relay_session.hpp"

namespace isotap::proxy {

namespace {

constexpr std::chrono::milliseconds tick_interval{250};

/// A TLS record holds no more plaintext than this.
constexpr std::size_t plaintext_chunk = 16 * 1024;

/// Session numbers of a thread differ from those of every other.
constexpr unsigned session_thread_shift = 48;

}  // namespace

RelayThread::RelayThread(std::size_t number, std::uint32_t run_tag, Io io, const Limits& limits,
                         Log& log, NameLookup& names, std::atomic<std::size_t>& sessions_open)
    : poller_(io, limits.read_chunk),
      transactions_(run_tag, static_cast<std::uint32_t>(number)),
      next_session_(static_cast<std::uint64_t>(number) << session_thread_shift),
      context_{poller_,
               names,
               limits,
               counters_,
               log,
               nullptr,
               transactions_,
               {},
               {},
               std::vector<std::uint8_t>(limits.read_chunk),
               std::vector<std::uint8_t>(plaintext_chunk),
               {},
               {},
               sessions_open} {}

RelayThread::~RelayThread() {
    stop();
}

void RelayThread::set_sink(std::unique_ptr<history::EventSink> sink) {
    sink_ = std::move(sink);
    context_.events = sink_.get();
    context_.names = std::make_unique<history::Names>(*sink_);
}

void RelayThread::serve(const ListenerContext& listener) {
    if (!listener.catalog) {
        return;
    }
    const auto release = [this](history::SessionId session) {
        if (const auto found = context_.sessions.find(session); found != context_.sessions.end()) {
            const auto held = found->second;  // it may leave the table meanwhile
            held->release();
        }
    };
    context_.plans.emplace(
        &listener,
        std::make_unique<PlanBook>(PlanBookHome{poller_, context_.limits, counters_, release},
                                   *listener.catalog, listener.options.prove));
}

void RelayThread::start(std::function<void()> on_tick) {
    on_tick_ = std::move(on_tick);
    poller_.every(tick_interval, [this] { tick(); });
    thread_ = std::thread([this] { poller_.run(); });
}

void RelayThread::adopt(Descriptor client, const ListenerContext& listener) {
    // Shared, because a job can be copied.
    auto handed = std::make_shared<Descriptor>(std::move(client));
    poller_.post([this, handed, &listener] { begin(std::move(*handed), listener); });
}

void RelayThread::begin(Descriptor client, const ListenerContext& listener) {
    const history::SessionId id{++next_session_};
    counters_.sessions_opened.add();
    counters_.sessions_open.add();
    context_.sessions_open.fetch_add(1, std::memory_order_relaxed);
    const auto session = std::make_shared<RelaySession>(context_, listener, id, std::move(client));
    context_.sessions.emplace(id, session);
    session->start();
    if (draining_) {
        session->drain();
    }
}

void RelayThread::drain() {
    poller_.post([this] {
        draining_ = true;
        // Sessions leave the table as they end.
        const auto sessions = context_.sessions;
        for (const auto& [id, session] : sessions) {
            session->drain();
        }
    });
}

std::size_t RelayThread::stop() {
    if (!thread_.joinable()) {
        return cut_;
    }
    poller_.post([this] {
        const auto sessions = context_.sessions;
        for (const auto& [id, session] : sessions) {
            cut_ += session->cut() ? 1 : 0;
        }
        poller_.stop();
    });
    thread_.join();
    counters_.sessions_cut.add(cut_);
    return cut_;
}

void RelayThread::tick() {
    const auto now = std::chrono::steady_clock::now();
    const auto sessions = context_.sessions;
    for (const auto& [id, session] : sessions) {
        session->on_tick(now);
    }
    on_tick_();
}

}  // namespace isotap::proxy
