#include "proxy/tap/record_document.hpp"

#include <boost/json.hpp>

#include "analysis/report/json_report.hpp"

namespace isotap::proxy {

std::string document_of(const AnomalyRecord& record) {
    analysis::Findings findings;
    findings.anomalies.push_back(record.anomaly);
    const auto report = boost::json::parse(analysis::json_report(findings, RecordNames(record)));
    return boost::json::serialize(report.at("anomalies").at(0));
}

}  // namespace isotap::proxy
