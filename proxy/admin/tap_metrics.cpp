#include "proxy/admin/tap_metrics.hpp"

#include <string_view>
#include <utility>

namespace isotap::proxy {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

ClientMetric sample(MetricType type, double value, const Labels& labels = {}) {
    ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    for (const auto& [name, text] : labels) {
        metric.label.push_back({std::string(name), std::string(text)});
    }
    return metric;
}

class Families {
  public:
    explicit Families(std::vector<MetricFamily>& all) : all_(all) {}

    void counter(std::string_view name, std::string_view help, std::uint64_t value) {
        one(name, help, MetricType::Counter, static_cast<double>(value));
    }
    void gauge(std::string_view name, std::string_view help, double value) {
        one(name, help, MetricType::Gauge, value);
    }
    MetricFamily& labelled(std::string_view name, std::string_view help,
                           MetricType type = MetricType::Counter) {
        return all_.emplace_back(MetricFamily{std::string(name), std::string(help), type, {}});
    }

  private:
    void one(std::string_view name, std::string_view help, MetricType type, double value) {
        labelled(name, help, type).metric.push_back(sample(type, value));
    }

    std::vector<MetricFamily>& all_;
};

void add(MetricFamily& family, double value, const Labels& labels) {
    family.metric.push_back(sample(family.type, value, labels));
}

void add_rings(const Tap& tap, Families& families) {
    RingFigures sum;
    for (const RingFigures& ring : tap.figures()) {
        sum.events += ring.events;
        sum.lost += ring.lost;
        sum.gaps += ring.gaps;
        sum.restarts += ring.restarts;
        sum.waits += ring.waits;
        sum.depth += ring.depth;
        sum.slots += ring.slots;
    }
    families.counter("isotap_events_total", "Events that went to analysis", sum.events);
    families.counter("isotap_events_lost_total", "Events that found no room", sum.lost);
    families.counter("isotap_gaps_total", "Transactions that lost an event", sum.gaps);
    families.counter("isotap_restarts_total",
                     "Times that so much was lost that analysis began anew", sum.restarts);
    families.counter("isotap_overload_waits_total", "Times that a relay thread waited for analysis",
                     sum.waits);
    families.gauge("isotap_ring_depth", "Events that wait for analysis",
                   static_cast<double>(sum.depth));
    families.gauge("isotap_ring_slots", "Events that may wait for analysis",
                   static_cast<double>(sum.slots));
}

void add_analysis(const Tap& tap, Families& families) {
    const AnalysisStatus status = tap.bulletin().status();
    const auto& statistics = status.statistics;
    auto& kinds = families.labelled("isotap_statements_by_kind_total",
                                    "Statements that analysis saw, by their first word");
    for (std::size_t i = 0; i < statement_kind_count; ++i) {
        add(kinds, static_cast<double>(status.statements.at(i)),
            {{"kind", to_string(static_cast<StatementKind>(i))}});
    }
    auto& coverage = families.labelled("isotap_statements_captured_total",
                                       "Statements with something to capture, by how it went");
    add(coverage, static_cast<double>(statistics.coverage.full), {{"coverage", "full"}});
    add(coverage, static_cast<double>(statistics.coverage.partial), {{"coverage", "partial"}});
    add(coverage, static_cast<double>(statistics.coverage.opaque), {{"coverage", "opaque"}});
    auto& anomalies = families.labelled("isotap_anomalies_total",
                                        "Anomalies that were found, by type and severity");
    for (const auto& [kind, count] : tap.bulletin().tally()) {
        add(anomalies, static_cast<double>(count),
            {{"type", kind.first}, {"severity", to_string(kind.second)}});
    }
    families.counter("isotap_incomplete_transactions_total",
                     "Transactions of which something was not captured",
                     statistics.transactions.incomplete);
    families.counter("isotap_accesses_total", "Reads and writes of rows", statistics.accesses);
    families.counter("isotap_edges_total", "Dependencies between transactions", statistics.edges);
    families.gauge("isotap_graph_transactions", "Transactions that the graph holds now",
                   static_cast<double>(statistics.live));
    families.counter("isotap_graph_forced_total", "Transactions forgotten before they were settled",
                     statistics.forced);
    families.gauge("isotap_search_seconds", "Time that the last search for cycles took",
                   status.search_seconds);
    families.gauge("isotap_verdict_lag_seconds",
                   "The longest time from the end of a cycle to its alarm",
                   status.verdict_lag_seconds);
}

void add_recording(const Tap& tap, Families& families) {
    const RecordingFigures figures = tap.recording().value_or(RecordingFigures{});
    const bool records = tap.recording() && figures.error.empty();
    families.gauge("isotap_recording", "1 while a recording is written, else 0", records ? 1 : 0);
    families.counter("isotap_recorded_events_total", "Events that the recording holds for certain",
                     figures.recorded);
    families.counter("isotap_recording_lost_total", "Events that the recording does not have",
                     figures.lost);
}

void add_alerts(const Tap& tap, Families& families) {
    const AlertFigures figures = tap.alerts();
    auto& alerts = families.labelled("isotap_alerts_total", "Alerts, by what became of them");
    add(alerts, static_cast<double>(figures.sent), {{"result", "sent"}});
    add(alerts, static_cast<double>(figures.failed), {{"result", "failed"}});
    add(alerts, static_cast<double>(figures.suppressed), {{"result", "suppressed"}});
}

}  // namespace

void add_tap_metrics(const Tap& tap, std::vector<MetricFamily>& all) {
    Families families(all);
    add_rings(tap, families);
    add_analysis(tap, families);
    add_recording(tap, families);
    add_alerts(tap, families);
}

}  // namespace isotap::proxy
