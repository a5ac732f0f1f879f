#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/workload/scenario.hpp"

namespace isotap::proxy {

struct ScenarioFile {
    std::string path;
    workload::Scenario scenario;
};

/// Reads what is named on a command line: a file, a folder (every scenario in it), or a scenario
/// of the catalogue by its name; nothing: the whole catalogue. Throws StartupError (usage) with
/// line and column when one cannot be read.
std::vector<ScenarioFile> read_scenario_files(std::span<const std::string> names);

}  // namespace isotap::proxy
