#include "proxy/tap/record_document.hpp"

#include "analysis/report/json_report.hpp"

namespace isotap::proxy {

std::string document_of(const AnomalyRecord& record) {
    return analysis::json_anomaly(record.anomaly, RecordNames(record));
}

}  // namespace isotap::proxy
