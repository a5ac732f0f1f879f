#include "proxy/tap/recorder.hpp"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <random>

#include <fmt/format.h>

#include "isotap/proxy/version.hpp"

#include "proxy/tap/known_transactions.hpp"
#include "proxy/tap/redaction.hpp"

namespace isotap::proxy {
namespace {

using history::recording::PartPolicy;
using history::recording::RecordedAnomaly;
using history::recording::RecordingFiles;
using Clock = std::chrono::steady_clock;

constexpr std::size_t batch = 1024;
constexpr std::chrono::milliseconds pause{5};

/// Anomalies that wait to be written; beyond, they are in the page and the log only.
constexpr std::size_t anomalies_max = 10'000;

std::uint64_t random_series() {
    std::random_device random;
    return std::uint64_t{random()} << 31 | random();
}

}  // namespace

class Recorder::Redactor final : public history::recording::TextRedactor {
  public:
    explicit Redactor(history::Dialect dialect) : dialect_(dialect) {}

    std::string_view redact(std::string_view statement) noexcept override {
        kept_ = redacted(statement, dialect_);
        return kept_;
    }

  private:
    history::Dialect dialect_;
    std::string kept_;
};

Recorder::Recorder(const TapOptions& options, const Limits& limits, history::Dialect dialect,
                   const std::string& contract, Log& log)
    : options_(options),
      log_(log),
      ring_(limits.ring_events, limits.ring_bytes),
      sink_(ring_, options.on_overload, counters_),
      redactor_(std::make_unique<Redactor>(dialect)) {
    figures_.path = options.record;
    auto files = RecordingFiles::create(options.record,
                                        {options.record_values ? nullptr : redactor_.get(),
                                         fmt::format("isotap {}", version()), contract},
                                        PartPolicy{options.rotate_bytes, options.rotate_after, 0},
                                        random_series(), system_now());
    if (files) {
        files_ = std::move(*files);
        figures_.path = files_->path();
    } else {
        fail(files.error());
    }
}

Recorder::~Recorder() {
    stop();
}

void Recorder::start() {
    thread_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "recorder");
        run();
    });
}

void Recorder::append(RecordedAnomaly anomaly) {
    const std::lock_guard lock(mutex_);
    if (anomalies_.size() < anomalies_max) {
        anomalies_.push_back(std::move(anomaly));
    }
}

void Recorder::stop() {
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

RecordingFigures Recorder::figures() const {
    const std::lock_guard lock(mutex_);
    RecordingFigures figures = figures_;
    figures.lost += counters_.lost.value();
    return figures;
}

void Recorder::run() {
    KnownTransactions known;
    auto next_flush = Clock::now() + options_.flush;
    bool stopping = false;
    while (true) {
        const std::size_t took = ring_.drain(batch, [&](const EventRing::Slot& slot) {
            if (slot.restart) {
                known.forget();
            }
            if (!files_) {
                ++unwritten_;
            } else if (known.admits(slot.event)) {
                files_->accept(slot.event);
            }
        });
        if (Clock::now() >= next_flush) {
            flush();
            next_flush = Clock::now() + options_.flush;
        }
        if (took == 0 && stopping) {
            break;
        }
        std::unique_lock lock(mutex_);
        if (took == 0) {
            wake_.wait_for(lock, pause, [this] { return stopping_; });
        }
        stopping = stopping_;
    }
    ring_.close();
    flush();
    if (files_ && !files_->close()) {
        fail(files_->error());
    }
}

void Recorder::flush() {
    if (!files_) {
        const std::lock_guard lock(mutex_);
        figures_.lost = unwritten_;
        return;
    }
    std::deque<RecordedAnomaly> anomalies;
    {
        const std::lock_guard lock(mutex_);
        anomalies.swap(anomalies_);
    }
    for (const RecordedAnomaly& anomaly : anomalies) {
        files_->append(anomaly);
    }
    const bool alive = files_->flush(system_now());
    {
        const std::lock_guard lock(mutex_);
        figures_.path = files_->path();
        figures_.recorded = files_->recorded();
        figures_.lost = files_->lost();
    }
    if (!alive) {
        fail(files_->error());
    } else if (const std::string why = files_->error(); !why.empty() && !cannot_rotate_) {
        cannot_rotate_ = true;
        log_.line(LogLevel::error, "the recording stays in one file", why);
    }
}

/// Once: from then on the writer only counts.
void Recorder::fail(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (!figures_.error.empty()) {
        return;
    }
    figures_.error = why.empty() ? "the file cannot be written" : why;
    log_.line(LogLevel::error, "nothing is recorded any more", figures_.error);
}

}  // namespace isotap::proxy
