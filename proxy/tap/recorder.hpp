#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "isotap/history/events.hpp"
#include "isotap/proxy/options.hpp"

#include "analysis/history/recording/recording_files.hpp"
#include "proxy/ops/log.hpp"
#include "proxy/tap/event_ring.hpp"
#include "proxy/tap/ring_sink.hpp"

namespace isotap::proxy {

struct RecordingFigures {
    std::string path;   ///< the file that is written now
    std::string error;  ///< why nothing is recorded any more; empty: it is
    std::uint64_t recorded = 0;
    std::uint64_t lost = 0;  ///< events that the file does not have, whatever the reason
};

/// Writes what happens into a file, on a thread of its own.
///
/// The analysis thread tells it events and anomalies; a ring lies in between, so that a slow disk
/// makes nobody wait unless `on-overload` says so. When the file cannot be written, the recording
/// ends with a line in the log, and the traffic goes on.
class Recorder {
  public:
    /// `log` must outlive it. A file that cannot be made shows in `figures`.
    Recorder(const TapOptions& options, const Limits& limits, history::Dialect dialect,
             const std::string& contract, Log& log);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void start();

    // On the analysis thread.
    [[nodiscard]] history::EventSink& sink() noexcept { return sink_; }
    void append(history::recording::RecordedAnomaly anomaly);

    /// Nobody tells anything any more: writes what is left, joins.
    void stop();

    /// From any thread.
    [[nodiscard]] RecordingFigures figures() const;

  private:
    class Redactor;

    void run();
    void flush();
    void fail(const std::string& why);

    TapOptions options_;
    Log& log_;
    EventRing ring_;
    RingCounters counters_;
    RingSink sink_;
    std::unique_ptr<Redactor> redactor_;
    std::unique_ptr<history::recording::RecordingFiles> files_;
    bool cannot_rotate_ = false;   ///< and that was told
    std::uint64_t unwritten_ = 0;  ///< events, as there never was a file

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<history::recording::RecordedAnomaly> anomalies_;
    RecordingFigures figures_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace isotap::proxy
