#include "proxy/tap/tap.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "analysis/report/explanation.hpp"
#include "proxy/tap/analysis_thread.hpp"
#include "proxy/tap/engine_contract.hpp"
#include "proxy/tap/event_counters.hpp"
#include "proxy/tap/record_document.hpp"

namespace isotap::proxy {
namespace {

using analysis::Contract;

bool observed(const Listener& listener) {
    return listener.mode != Mode::relay;
}

/// The server that is observed; that of the first listener where none is.
const Upstream& upstream_of(const RelayOptions& relay) {
    const auto found = std::find_if(relay.listeners.begin(), relay.listeners.end(), observed);
    return found == relay.listeners.end() ? relay.listeners.front().upstream : found->upstream;
}

/// Where nothing is observed no memory is spent on rings.
bool any_observed(const RelayOptions& relay) {
    return std::any_of(relay.listeners.begin(), relay.listeners.end(), observed);
}

/// Rows of two servers may have the same names: what is joined must come from one of them.
bool one_server(const RelayOptions& relay) {
    const Upstream* first = nullptr;
    for (const Listener& listener : relay.listeners) {
        if (!observed(listener)) {
            continue;
        }
        if (first != nullptr && (first->address != listener.upstream.address ||
                                 first->dialect != listener.upstream.dialect)) {
            return false;
        }
        first = &listener.upstream;
    }
    return true;
}

std::string engine_of(const ProxyOptions& options) {
    if (!options.tap.engine.empty()) {
        return options.tap.engine;
    }
    const Upstream& upstream = upstream_of(options.relay);
    if (!upstream.engine.empty()) {
        return upstream.engine;
    }
    return upstream.dialect == history::Dialect::mysql ? "mysql" : "postgresql";
}

/// What is told of values only: nobody behind the rings has use for it unless they are shown.
bool holds_values(const history::Event& event) noexcept {
    return std::holds_alternative<history::RowLabelled>(event) ||
           std::holds_alternative<history::RowImage>(event);
}

/// Counts for the metrics of its thread, then hands on.
class CountingSink final : public history::EventSink {
  public:
    CountingSink(RelayCounters& counters, bool values, std::unique_ptr<RingSink> next) noexcept
        : count_(counters), values_(values), next_(std::move(next)) {}

    void accept(const history::Event& event) noexcept override {
        count_.accept(event);
        if (next_ && (values_ || !holds_values(event))) {
            next_->accept(event);
        }
    }

  private:
    EventCounters count_;
    bool values_;
    std::unique_ptr<RingSink> next_;
};

/// A search takes its time. What stands still for longer says nothing of what goes on meanwhile.
constexpr std::chrono::seconds behind_after{2};

}  // namespace

class Tap::Body {
  public:
    Body(const ProxyOptions& options, Log& log)
        : options_(options),
          log_(log),
          engine_(engine_of(options)),
          contract_(engine_contract(engine_)),
          analyses_(any_observed(options.relay) && one_server(options.relay)),
          bulletin_(options.relay.limits.kept_anomalies),
          analyst_({upstream_of(options.relay).dialect, &contract_, options.tap.record_values,
                    options.relay.limits},
                   bulletin_, [this](const Bulletin::Record& record) { announce(record); }),
          alerts_(options.tap.alerts, engine_, log) {
        if (!options_.tap.record.empty() && analyses_) {
            recorder_ =
                std::make_unique<Recorder>(options_.tap, options_.relay.limits,
                                           upstream_of(options_.relay).dialect, engine_, log_);
            analyst_.set_recorder(&recorder_->sink());
        }
        if (!options_.tap.record.empty() && !analyses_) {
            log_.line(LogLevel::error, "nothing is recorded",
                      "no listener observes what one server does: use the mode observe or "
                      "instrument");
        }
        if (!one_server(options.relay)) {
            log_.line(LogLevel::warning, "nothing is analysed",
                      "the listeners lead to several servers, whose rows cannot be told apart: "
                      "run one proxy for each server");
        }
    }

    std::unique_ptr<history::EventSink> sink_of_thread(RelayCounters& counters) {
        if (!analyses_) {
            return std::make_unique<CountingSink>(counters, false, nullptr);
        }
        const Limits& limits = options_.relay.limits;
        Lane& lane =
            *lanes_.emplace_back(std::make_unique<Lane>(limits.ring_events, limits.ring_bytes));
        return std::make_unique<CountingSink>(
            counters, options_.tap.record_values,
            std::make_unique<RingSink>(lane.ring, options_.tap.on_overload, lane.counters));
    }

    void start() {
        std::vector<EventRing*> rings;
        for (const auto& lane : lanes_) {
            rings.push_back(&lane->ring);
        }
        if (recorder_) {
            recorder_->start();
        }
        alerts_.start();
        thread_.emplace(std::move(rings), analyst_);
        thread_->start();
    }

    void stop() {
        if (thread_) {
            thread_->stop();
        }
        if (recorder_) {
            recorder_->stop();
        }
        alerts_.stop();
    }

    [[nodiscard]] std::vector<RingFigures> figures() const {
        std::vector<RingFigures> all;
        for (const auto& lane : lanes_) {
            const RingCounters& c = lane->counters;
            all.push_back({c.events.value(), c.lost.value(), c.gaps.value(), c.restarts.value(),
                           c.waits.value(), lane->ring.depth(), lane->ring.slots()});
        }
        return all;
    }
    [[nodiscard]] AnalysisStatus status() const {
        AnalysisStatus status = bulletin_.status();
        std::uint64_t lost = 0;
        std::size_t waiting = 0;
        for (const RingFigures& ring : figures()) {
            lost += ring.lost;
            waiting += ring.depth;
        }
        if (lost > 0) {
            status.doubts.push_back(fmt::format("{} events found no room in a ring", lost));
        }
        if (const auto still = still_for(); waiting > 0 && still > behind_after) {
            status.doubts.push_back(fmt::format("{} events wait: analysis has stood still for {} s",
                                                waiting, still.count()));
        }
        if (status.verdict == analysis::Verdict::clean && !status.doubts.empty()) {
            status.verdict = analysis::Verdict::unknown;
        }
        return status;
    }
    [[nodiscard]] std::optional<RecordingFigures> recording() const {
        return recorder_ ? std::optional(recorder_->figures()) : std::nullopt;
    }
    [[nodiscard]] AlertFigures alerts() const { return alerts_.figures(); }
    [[nodiscard]] const Bulletin& bulletin() const noexcept { return bulletin_; }
    [[nodiscard]] const Analyst& analyst() const noexcept { return analyst_; }
    [[nodiscard]] const std::string& engine() const noexcept { return engine_; }

  private:
    struct Lane {
        Lane(std::size_t slots, std::size_t bytes) : ring(slots, bytes) {}

        EventRing ring;
        RingCounters counters;
    };

    [[nodiscard]] std::chrono::seconds still_for() const {
        return thread_ ? std::chrono::floor<std::chrono::seconds>(thread_->still_for())
                       : std::chrono::seconds{0};
    }

    /// On the analysis thread.
    void announce(const Bulletin::Record& record) {
        const analysis::Anomaly& anomaly = record->anomaly;
        const RecordNames names(*record);
        std::string words;
        for (const std::string& sentence : analysis::explain(anomaly, names)) {
            words += (words.empty() ? "" : " ") + sentence;
        }
        const bool violation = anomaly.severity == analysis::Severity::violation;
        log_.line(violation ? LogLevel::error : LogLevel::warning,
                  fmt::format("anomaly {}: {} ({})", anomaly.id, analysis::title_of(anomaly),
                              to_string(anomaly.severity)),
                  words);
        if (recorder_) {
            recorder_->append(
                {anomaly.id, record->found, name_of(anomaly.kind), std::string(plain_name(anomaly)),
                 std::string(to_string(anomaly.severity)), words, document_of(*record)});
        }
        alerts_.offer(*record);
    }

    const ProxyOptions options_;
    Log& log_;
    std::string engine_;
    Contract contract_;
    bool analyses_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    Bulletin bulletin_;
    Analyst analyst_;
    Alerts alerts_;
    std::unique_ptr<Recorder> recorder_;
    std::optional<AnalysisThread> thread_;
};

Tap::Tap(const ProxyOptions& options, Log& log) : body_(std::make_unique<Body>(options, log)) {}
Tap::~Tap() = default;

std::unique_ptr<history::EventSink> Tap::sink_of_thread(RelayCounters& counters) {
    return body_->sink_of_thread(counters);
}
void Tap::start() {
    body_->start();
}
void Tap::stop() {
    body_->stop();
}
AnalysisStatus Tap::status() const {
    return body_->status();
}
const Bulletin& Tap::bulletin() const noexcept {
    return body_->bulletin();
}
std::optional<KeptTransaction> Tap::transaction(history::TransactionId id) const {
    return body_->analyst().transaction(id);
}
std::vector<RingFigures> Tap::figures() const {
    return body_->figures();
}
std::optional<RecordingFigures> Tap::recording() const {
    return body_->recording();
}
AlertFigures Tap::alerts() const {
    return body_->alerts();
}
const std::string& Tap::engine() const noexcept {
    return body_->engine();
}

}  // namespace isotap::proxy
