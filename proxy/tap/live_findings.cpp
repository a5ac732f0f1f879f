#include "proxy/tap/live_findings.hpp"

namespace isotap::proxy {

LiveFindings live_findings(const AnalysisStatus& status, const Bulletin& bulletin,
                           const std::string& source) {
    LiveFindings live;
    live.records = bulletin.anomalies();
    live.findings.source = source;
    live.findings.format = "live";
    live.findings.verdict = status.verdict;
    live.findings.statistics = status.statistics;
    live.findings.doubts = status.doubts;
    for (const auto& [id, text] : status.reasons) {
        live.names.add(id, text);
    }
    for (const Bulletin::Record& record : live.records) {
        live.names.add(*record);
        live.findings.anomalies.push_back(record->anomaly);
        live.findings.violated |= record->anomaly.violates;
    }
    return live;
}

}  // namespace isotap::proxy
