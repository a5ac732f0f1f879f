#pragma once

#include <string>

#include "analysis/workload/run.hpp"

/// What PostgreSQL's isolation tester would have written, so that its expected files can be
/// compared byte by byte.
namespace isotap::workload {

std::string isolation_tester_heading(const Scenario& scenario);

std::string isolation_tester_text(const Scenario& scenario, const std::vector<Turn>& order,
                                  const Run& run);

}  // namespace isotap::workload
