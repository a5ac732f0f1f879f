#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/proxy/counters.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/net/name_lookup.hpp"
#include "proxy/net/poller.hpp"
#include "proxy/relay/relay_context.hpp"

namespace isotap::proxy {

/// One thread with one poller and the sessions that were given to it.
///
/// Public calls come from the ops thread or the acceptor's; they hand over and return.
class RelayThread {
  public:
    RelayThread(std::size_t number, std::uint32_t run_tag, Io io, const Limits& limits, Log& log,
                NameLookup& names, std::atomic<std::size_t>& sessions_open);
    ~RelayThread();
    RelayThread(const RelayThread&) = delete;
    RelayThread& operator=(const RelayThread&) = delete;

    [[nodiscard]] Poller& poller() noexcept { return poller_; }
    [[nodiscard]] const RelayCounters& counters() const noexcept { return counters_; }
    [[nodiscard]] RelayCounters& counters() noexcept { return counters_; }

    /// Before `start` only.
    void set_sink(std::unique_ptr<history::EventSink> sink);

    /// Before `start` only: gets ready for clients of a listener, which outlives the thread.
    void serve(const ListenerContext& listener);

    /// `on_tick` is called on the thread, a few times a second.
    void start(std::function<void()> on_tick);

    /// Takes over a client's socket, which must not block. The listener must outlive the thread.
    void adopt(Descriptor client, const ListenerContext& listener);

    /// Ends sessions as they become idle, new ones at once.
    void drain();

    /// Ends every session, joins. Returns how many were cut in their work.
    std::size_t stop();

  private:
    void begin(Descriptor client, const ListenerContext& listener);
    void tick();

    RelayCounters counters_;
    Poller poller_;
    std::unique_ptr<history::EventSink> sink_;
    std::function<void()> on_tick_;
    history::TransactionIds transactions_;
    std::uint64_t next_session_;
    RelayContext context_;
    bool draining_ = false;  // on the thread
    std::size_t cut_ = 0;    // on the thread; read after the join
    std::thread thread_;
};

}  // namespace isotap::proxy
