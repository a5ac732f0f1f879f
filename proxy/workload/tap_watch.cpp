#include "proxy/workload/tap_watch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "isotap/proxy/startup_error.hpp"

#include "analysis/report/explanation.hpp"
#include "analysis/report/remedies.hpp"
#include "analysis/report/short_names.hpp"
#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/tap/analyst.hpp"
#include "proxy/tap/engine_contract.hpp"
#include "proxy/tap/live_findings.hpp"
#include "proxy/workload/passed_over.hpp"
#include "proxy/workload/server.hpp"

namespace isotap::proxy {
namespace {

constexpr std::chrono::seconds plan_wait{30};
constexpr std::chrono::seconds drain_patience{5};

const analysis::Contract& contract_of(const std::string& engine) {
    return engine_contract(engine == "postgres" ? "postgresql" : engine);
}

RelayOptions options_for(const Upstream& server, Versions versions) {
    Listener listener;
    listener.listen = {"127.0.0.1", 0};
    listener.upstream = server;
    listener.mode = Mode::instrument;
    listener.versions = versions;
    listener.tls = protocol::TlsPolicy::terminate;
    RelayOptions options;
    options.listeners.push_back(std::move(listener));
    options.limits.plan_wait = plan_wait;
    return options;
}

/// Statements of which not all is known.
std::vector<workload::Unseen> unseen_of(const AnalysisStatus& status) {
    std::vector<workload::Unseen> unseen;
    for (const analysis::CoverageReason& reason : status.statistics.coverage.reasons) {
        const auto name = status.reasons.find(reason.reason);
        const bool known = name != status.reasons.end() && !name->second.empty();
        unseen.push_back({known ? name->second : std::string("for no reason that is known"),
                          reason.count, reason.example});
    }
    return unseen;
}

std::vector<workload::FoundAnomaly> anomalies_of(const LiveFindings& live) {
    const analysis::ShortNames labels(live.names, live.findings.anomalies);
    std::vector<workload::FoundAnomaly> found;
    for (const analysis::Anomaly& anomaly : live.findings.anomalies) {
        found.push_back({name_of(anomaly.kind), std::string(plain_name(anomaly)),
                         std::string(to_string(anomaly.severity)),
                         analysis::explain(anomaly, labels), analysis::remedies(anomaly, labels)});
    }
    return found;
}

}  // namespace

TapWatch::TapWatch(Upstream server, const std::string& engine, Versions versions)
    : server_(std::move(server)),
      versions_(versions),
      address_(server_),
      nowhere_(std::fopen("/dev/null", "w")),
      log_(LogFormat::text, LogLevel::error, nowhere_ ? nowhere_.get() : stderr),
      contract_(contract_of(engine)) {
    std::signal(SIGPIPE, SIG_IGN);
    address_.tls = protocol::ServerTls::disable;  // on this machine; to the server as the URL says
    address_.verify_certificate = false;
    address_.verify_name = false;
}

void TapWatch::begin(Server& server) {
    name_rows(server);
    events_.emplace();
    witness_.emplace(server);
    witness_->look();
    relay_ = std::make_unique<Relay>(
        options_for(server_, versions_), [this](RelayCounters&) { return sink_into(*events_); },
        log_);
    relay_->start();
    address_.address = relay_->addresses().front();
}

void TapWatch::look() {
    witness_->look();
}

/// Where that cannot be done the scenario runs all the same, and less is seen.
void TapWatch::name_rows(Server& server) {
    obstacle_.clear();
    if (versions_ == Versions::system) return;
    std::vector<std::string> nameless = server.tables(versions_ == Versions::columns);
    if (nameless.empty()) return;
    Upstream scratch = server_;
    if (scratch.dialect == history::Dialect::mysql) scratch.database = scratch_name();
    try {
        const auto columns = auxiliary_columns(scratch);
        for (const AuxiliaryState& table : columns->tables()) {
            const bool wanted =
                table.schema == scratch_name() && table.stage == AuxiliaryState::Stage::absent &&
                std::find(nameless.begin(), nameless.end(), table.table) != nameless.end();
            if (!wanted) continue;
            columns->add(table, [](std::uint64_t /*rows*/) {});
            if (versions_ != Versions::columns) server.key_by(table.table, "isotap_rowid");
        }
    } catch (const StartupError& error) {
        obstacle_ = error.what();
    }
}

workload::Sighting TapWatch::end() {
    relay_->finish(drain_patience);
    relay_.reset();
    Bulletin bulletin(Limits().kept_anomalies);
    Analyst analyst({server_.dialect, &contract_, true, {}}, bulletin, [](const auto&) {});
    const RunDigest digest(*events_, scratch_name(), server_.dialect);
    witness_->tell(digest, *events_,
                   [&](const history::Event& event) { analyst.accept(0, event, false); });
    analyst.finish();
    const AnalysisStatus status = bulletin.status();
    workload::Sighting sighting{std::nullopt, unseen_of(status)};
    if (!obstacle_.empty()) sighting.unseen.push_back({obstacle_, 0, {}});
    if (status.statistics.accesses > 0 || status.statistics.coverage.full > 0) {
        const LiveFindings live = live_findings(status, bulletin, "isotap run");
        sighting.anomalies = anomalies_of(live);
        for (auto& passed :
             passed_over(digest, *witness_, server_.dialect, live.findings.anomalies)) {
            sighting.anomalies->push_back(std::move(passed));
        }
    }
    return sighting;
}

}  // namespace isotap::proxy
