#include "proxy/admin/metrics.hpp"

#include <initializer_list>
#include <string_view>

#include <prometheus/text_serializer.h>

#include "isotap/proxy/version.hpp"

#include "proxy/admin/tap_metrics.hpp"
#include "proxy/ops/process.hpp"

namespace isotap::proxy {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// One line of a metric that comes in several kinds.
struct Kind {
    std::string_view value;
    Counter RelayCounters::*counter;
};

/// Sums over the relay threads.
class Sums {
  public:
    explicit Sums(const std::vector<const RelayCounters*>& threads) : threads_(threads) {}

    template <typename Pick>
    [[nodiscard]] double of(Pick pick) const {
        std::uint64_t sum = 0;
        for (const RelayCounters* counters : threads_) {
            sum += pick(*counters).value();
        }
        return static_cast<double>(sum);
    }
    [[nodiscard]] double of(Counter RelayCounters::*counter) const {
        return of([&](const RelayCounters& c) -> const Counter& { return c.*counter; });
    }

  private:
    const std::vector<const RelayCounters*>& threads_;
};

ClientMetric sample(MetricType type, double value) {
    ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    return metric;
}

ClientMetric labelled(ClientMetric metric, std::string_view name, std::string_view value) {
    metric.label.push_back({std::string(name), std::string(value)});
    return metric;
}

MetricFamily family(std::string_view name, std::string_view help, MetricType type, double value) {
    return {std::string(name), std::string(help), type, {sample(type, value)}};
}

MetricFamily by_kind(std::string_view name, std::string_view help, std::string_view label,
                     const Sums& sums, std::initializer_list<Kind> kinds) {
    MetricFamily made{std::string(name), std::string(help), MetricType::Counter, {}};
    for (const Kind& kind : kinds) {
        made.metric.push_back(
            labelled(sample(MetricType::Counter, sums.of(kind.counter)), label, kind.value));
    }
    return made;
}

MetricFamily notes(const Sums& sums) {
    MetricFamily made{"isotap_notes_total",
                      "What sessions wanted their operator to know",
                      MetricType::Counter,
                      {}};
    for (std::size_t i = 0; i < protocol::note_count; ++i) {
        const double value =
            sums.of([i](const RelayCounters& c) -> const Counter& { return c.notes.at(i); });
        made.metric.push_back(labelled(sample(MetricType::Counter, value), "note",
                                       to_string(static_cast<protocol::Note>(i))));
    }
    return made;
}

MetricFamily handling(const std::vector<const RelayCounters*>& threads) {
    constexpr double microsecond = 1e-6;
    constexpr double nanosecond = 1e-9;
    ClientMetric metric;
    ClientMetric::Histogram& histogram = metric.histogram;
    for (std::size_t i = 0; i <= Durations::bounds.size(); ++i) {
        for (const RelayCounters* counters : threads) {
            histogram.sample_count += counters->handling.count(i);
        }
        if (i < Durations::bounds.size()) {
            histogram.bucket.push_back(
                {histogram.sample_count, microsecond * Durations::bounds.at(i)});
        }
    }
    for (const RelayCounters* counters : threads) {
        histogram.sample_sum += nanosecond * static_cast<double>(counters->handling.nanoseconds());
    }
    return {"isotap_handling_seconds",
            "Time from bytes that have come to what was made of them on its way (observe)",
            MetricType::Histogram,
            {metric}};
}

MetricFamily build_info() {
    MetricFamily made =
        family("isotap_build_info", "The release that runs, always 1", MetricType::Gauge, 1);
    made.metric.front() = labelled(made.metric.front(), "version", version());
    return made;
}

void add_sessions(const Sums& sums, std::vector<MetricFamily>& all) {
    const auto counter = [&](std::string_view name, std::string_view help,
                             Counter RelayCounters::*member) {
        all.push_back(family(name, help, MetricType::Counter, sums.of(member)));
    };
    all.push_back(family("isotap_sessions_open", "Sessions that are there now", MetricType::Gauge,
                         sums.of(&RelayCounters::sessions_open)));
    counter("isotap_sessions_opened_total", "Client connections that became sessions",
            &RelayCounters::sessions_opened);
    counter("isotap_sessions_cut_total", "Sessions ended at shutdown with work in flight",
            &RelayCounters::sessions_cut);
    counter("isotap_dial_failures_total", "Times the server could not be reached",
            &RelayCounters::dial_failures);
    counter("isotap_tls_failures_total", "TLS handshakes that failed, on either leg",
            &RelayCounters::tls_failures);
    counter("isotap_login_timeouts_total", "Sessions that were not authenticated in time",
            &RelayCounters::login_timeouts);
    counter("isotap_probes_total", "Connections that left without a word", &RelayCounters::probes);
    all.push_back(by_kind("isotap_bytes_total", "Bytes received, by the side they came from",
                          "from", sums,
                          {{"client", &RelayCounters::bytes_from_client},
                           {"server", &RelayCounters::bytes_from_server}}));
    all.push_back(notes(sums));
}

void add_observed(const Sums& sums, std::vector<MetricFamily>& all) {
    const auto counter = [&](std::string_view name, std::string_view help,
                             Counter RelayCounters::*member) {
        all.push_back(family(name, help, MetricType::Counter, sums.of(member)));
    };
    counter("isotap_statements_total", "Statements that clients sent (observe)",
            &RelayCounters::statements);
    counter("isotap_statements_failed_total", "Statements that the server refused (observe)",
            &RelayCounters::statements_failed);
    counter("isotap_deadlocks_total", "Statements that ended as a deadlock's victim (observe)",
            &RelayCounters::deadlocks);
    counter("isotap_serialization_failures_total",
            "Statements that ended as a serialization failure (observe)",
            &RelayCounters::serialization_failures);
    all.push_back(by_kind("isotap_transactions_total",
                          "Transactions that ended, by their outcome (observe)", "outcome", sums,
                          {{"committed", &RelayCounters::transactions_committed},
                           {"aborted", &RelayCounters::transactions_aborted},
                           {"indeterminate", &RelayCounters::transactions_indeterminate}}));
}

void add_plans(const Sums& sums, std::vector<MetricFamily>& all) {
    MetricFamily plans{"isotap_plans_total",
                       "New statements, by what came of their plan (instrument)",
                       MetricType::Counter,
                       {}};
    for (std::size_t i = 0; i < plan_outcome_count; ++i) {
        const double value =
            sums.of([i](const RelayCounters& c) -> const Counter& { return c.plans.at(i); });
        plans.metric.push_back(labelled(sample(MetricType::Counter, value), "outcome",
                                        to_string(static_cast<PlanOutcome>(i))));
    }
    all.push_back(std::move(plans));
    constexpr double microsecond = 1e-6;
    all.push_back(family("isotap_plan_waits_total", "Clients that waited for a plan (instrument)",
                         MetricType::Counter, sums.of(&RelayCounters::holds)));
    all.push_back(family("isotap_plan_waits_timed_out_total",
                         "Clients that went on without the plan they waited for (instrument)",
                         MetricType::Counter, sums.of(&RelayCounters::holds_timed_out)));
    all.push_back(family("isotap_plan_wait_seconds_total",
                         "Time that clients waited for plans (instrument)", MetricType::Counter,
                         sums.of(&RelayCounters::held_microseconds) * microsecond));
}

/// Under the names that every dashboard knows.
void add_process(std::vector<MetricFamily>& all) {
    const ProcessUsage usage = process_usage();
    all.push_back(family("process_resident_memory_bytes", "Memory that the process has in use",
                         MetricType::Gauge, static_cast<double>(usage.resident_bytes)));
    all.push_back(family("process_cpu_seconds_total", "Processor time of all threads",
                         MetricType::Counter, usage.cpu_seconds));
    all.push_back(family("process_open_fds", "File descriptors that are open", MetricType::Gauge,
                         static_cast<double>(usage.open_descriptors)));
}

}  // namespace

std::vector<MetricFamily> Metrics::families() const {
    const Sums sums(counters_);
    std::vector<MetricFamily> all{build_info()};
    add_sessions(sums, all);
    add_observed(sums, all);
    all.push_back(handling(counters_));
    add_plans(sums, all);
    if (tap_ != nullptr) {
        add_tap_metrics(*tap_, all);
    }
    all.push_back(family("isotap_log_lines_lost_total",
                         "Log lines lost because nobody read them in time", MetricType::Counter,
                         static_cast<double>(log_.lost())));
    add_process(all);
    return all;
}

std::string Metrics::text() const {
    return prometheus::TextSerializer().Serialize(families());
}

}  // namespace isotap::proxy
