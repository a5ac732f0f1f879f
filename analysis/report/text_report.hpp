#pragma once

#include <iosfwd>

#include "analysis/report/findings.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// The report for a terminal.
void write_text_report(const Findings& findings, const Names& names, std::ostream& out);

}  // namespace isotap::analysis
