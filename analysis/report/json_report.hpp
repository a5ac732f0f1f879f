#pragma once

#include <string>

#include "analysis/report/findings.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// The one shape that `check --json`, the HTTP interface and recordings share; docs/JSON.md
/// describes it.
std::string json_report(const Findings& findings, const Names& names);

/// One anomaly alone, as it stands in `anomalies` there.
std::string json_anomaly(const Anomaly& anomaly, const Names& names);

/// Who made a version and by which statement, as edges name it there; empty when nobody knows.
std::string version_name(const history::Version& version, const Names& names);

}  // namespace isotap::analysis
