#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <sys/signalfd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "isotap/proxy/options.hpp"

#include "proxy/net/descriptor.hpp"
#include "proxy/ops/log.hpp"

namespace isotap::proxy {

class Relay;

/// The ops thread: signals and the way to the end. Made and run by the thread that made the relay;
/// relay and log must outlive it.
///
///     SIGTERM, SIGINT   stop accepting, wait for transactions up to the drain time-out, end;
///                       once more: end now
///     SIGHUP            read the certificates anew
class Supervisor {
  public:
    /// `signals` as HeldSignals gives them.
    Supervisor(Descriptor signals, std::chrono::milliseconds drain_timeout, Relay& relay, Log& log);
    Supervisor(const Supervisor&) = delete;
    Supervisor& operator=(const Supervisor&) = delete;
    ~Supervisor() = default;

    /// Where others put the work of the ops thread.
    [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }

    [[nodiscard]] bool draining() const noexcept { return draining_; }

    /// Until the relay has been stopped. Returns how many sessions were cut in their work.
    std::size_t run();

  private:
    void await_signal();
    void on_signal(std::uint32_t signal);
    void reload();
    void drain();
    void await_idle();
    void finish(const std::string& why);

    boost::asio::io_context io_{1};
    boost::asio::posix::stream_descriptor signals_;
    signalfd_siginfo came_{};
    boost::asio::steady_timer poll_{io_};
    std::chrono::steady_clock::time_point deadline_;
    std::chrono::milliseconds drain_timeout_;
    Relay& relay_;
    Log& log_;
    bool draining_ = false;
};

}  // namespace isotap::proxy
