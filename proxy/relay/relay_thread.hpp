#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "isotap/history/events.hpp"
#include "isotap/history/transaction_ids.hpp"
#include "isotap/proxy/counters.hpp"

#include "proxy/net/leg.hpp"
#include "proxy/relay/relay_context.hpp"

namespace isotap::proxy {

/// One thread with one io_context and the sessions that were given to it.
///
/// Public calls come from the ops thread or the acceptor's; they hand over and return.
class RelayThread {
  public:
    RelayThread(std::size_t number, std::uint32_t run_tag, const Limits& limits, Log& log,
                std::atomic<std::size_t>& sessions_open);
    ~RelayThread();
    RelayThread(const RelayThread&) = delete;
    RelayThread& operator=(const RelayThread&) = delete;

    [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }
    [[nodiscard]] const RelayCounters& counters() const noexcept { return counters_; }
    [[nodiscard]] RelayCounters& counters() noexcept { return counters_; }

    /// Before `start` only.
    void set_sink(std::unique_ptr<history::EventSink> sink);

    /// Before `start` only: gets ready for clients of a listener, which outlives the thread.
    void serve(const ListenerContext& listener);

    void start();

    /// Takes over a client. The socket must belong to `io()`, the listener must outlive the thread.
    void adopt(Socket client, const ListenerContext& listener);

    /// Ends sessions as they become idle, new ones at once.
    void drain();

    /// Ends every session, joins. Returns how many were cut in their work.
    std::size_t stop();

  private:
    void tick();

    RelayCounters counters_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    boost::asio::steady_timer timer_;
    std::unique_ptr<history::EventSink> sink_;
    history::TransactionIds transactions_;
    std::uint64_t next_session_;
    RelayContext context_;
    bool draining_ = false;  // on the thread
    std::size_t cut_ = 0;    // on the thread; read after the join
    std::thread thread_;
};

}  // namespace isotap::proxy
