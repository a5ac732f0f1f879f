#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"
#include "isotap/proxy/counters.hpp"
#include "isotap/proxy/options.hpp"

#include "proxy/ops/log.hpp"
#include "proxy/tap/alerts.hpp"
#include "proxy/tap/bulletin.hpp"
#include "proxy/tap/recorder.hpp"
#include "proxy/tap/ring_sink.hpp"

namespace isotap::proxy {

/// How full the way from a relay thread is, and what was lost on it.
struct RingFigures {
    std::uint64_t events = 0;
    std::uint64_t lost = 0;
    std::uint64_t gaps = 0;
    std::uint64_t restarts = 0;
    std::uint64_t waits = 0;
    std::size_t depth = 0;
    std::size_t slots = 0;
};

/// Everything behind the relay threads: rings, analysis, recording, alerts.
///
/// Made, driven and destroyed by the ops thread, which must give every relay thread its sink before
/// `start`, and stop the relay before `stop`. What `figures`, `status`, `bulletin` and
/// `transaction` tell may be asked at any time, from any thread. Throws StartupError when the
/// contract or the recording cannot be had; nothing throws afterwards.
class Tap {
  public:
    /// `log` must outlive it.
    Tap(const ProxyOptions& options, Log& log);
    ~Tap();
    Tap(const Tap&) = delete;
    Tap& operator=(const Tap&) = delete;

    /// Where one relay thread puts its events. It belongs to that thread, and the tap outlives it.
    std::unique_ptr<history::EventSink> sink_of_thread(RelayCounters& counters);

    void start();

    /// Takes what is left in the rings, decides what is pending, ends.
    void stop();

    /// What analysis said last, and what it cannot know: what is lost or waits before it.
    [[nodiscard]] AnalysisStatus status() const;
    [[nodiscard]] const Bulletin& bulletin() const noexcept;
    [[nodiscard]] std::optional<KeptTransaction> transaction(history::TransactionId id) const;
    [[nodiscard]] std::vector<RingFigures> figures() const;
    /// Nothing when no recording was asked for.
    [[nodiscard]] std::optional<RecordingFigures> recording() const;
    [[nodiscard]] AlertFigures alerts() const;
    /// Whose promises are applied.
    [[nodiscard]] const std::string& engine() const noexcept;

  private:
    class Body;
    std::unique_ptr<Body> body_;
};

}  // namespace isotap::proxy
