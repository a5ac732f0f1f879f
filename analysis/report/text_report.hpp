#pragma once

#include <iosfwd>

#include "analysis/report/findings.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// The report for a terminal.
void write_text_report(const Findings& findings, const Names& names, std::ostream& out);

/// One anomaly of it, with what would have prevented it.
void write_anomaly_text(const Anomaly& anomaly, const Names& names, std::ostream& out);

}  // namespace isotap::analysis
