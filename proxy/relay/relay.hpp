#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"
#include "isotap/proxy/counters.hpp"
#include "isotap/proxy/options.hpp"

#include "proxy/ops/log.hpp"

namespace isotap::proxy {

/// The data path: listeners, relay threads and the sessions on them.
///
/// Made, driven and destroyed by one thread (ops); what it does happens on its own threads. The
/// constructor binds every listener and reads every certificate, and throws StartupError when one
/// cannot be had; nothing throws afterwards.
class Relay {
  public:
    /// Makes the place where the events of one relay thread go, which only that thread uses; in the
    /// modes that observe.
    using SinkOfThread =
        std::function<std::unique_ptr<history::EventSink>(RelayCounters& counters)>;

    /// `log` must outlive it.
    Relay(const RelayOptions& options, const SinkOfThread& sink_of_thread, Log& log);
    ~Relay();
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    /// Where each listener really listens, in the order of the options: port 0 has become a number.
    [[nodiscard]] std::vector<Address> addresses() const;

    /// Starts the threads and accepts from then on.
    void start();

    /// Stops accepting; ends every session as soon as it is idle. Returns at once.
    void drain();

    /// Sessions that are still there.
    [[nodiscard]] std::size_t open_sessions() const noexcept;

    /// Drains, waits for the sessions, so long at most, and stops.
    std::size_t finish(std::chrono::milliseconds patience);

    /// Ends what is left, joins the threads. Returns how many sessions were cut in their work.
    std::size_t stop();

    /// Reads certificates anew; sessions that run keep theirs. Empty, or why the old ones stay.
    [[nodiscard]] std::string reload_certificates();

    /// One per relay thread; they live as long as this object.
    [[nodiscard]] std::vector<const RelayCounters*> counters() const;

  private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace isotap::proxy
