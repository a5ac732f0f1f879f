#pragma once

#include <vector>

#include "analysis/report/findings.hpp"
#include "proxy/tap/tap.hpp"

namespace isotap::proxy {

/// What a tap found, as reports take it. Names point into the records: keep them together.
struct LiveFindings {
    std::vector<Bulletin::Record> records;
    analysis::Findings findings;
    RecordNames names;
};

/// How things stand now. From any thread.
LiveFindings live_findings(const AnalysisStatus& status, const Bulletin& bulletin,
                           const std::string& source);
inline LiveFindings live_findings(const Tap& tap, const std::string& source) {
    return live_findings(tap.status(), tap.bulletin(), source);
}

}  // namespace isotap::proxy
