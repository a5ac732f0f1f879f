#include "proxy/commands/scenario_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "analysis/workload/scenario_reader.hpp"
#include "proxy/ops/refuse.hpp"
#include "proxy/workload/catalogue.hpp"

namespace isotap::proxy {
namespace {

namespace fs = std::filesystem;

ScenarioFile parse(std::string_view text, const std::string& path) {
    auto read = workload::read_by_name(text, path);
    if (!read) refuse(read.error().message(path));
    return {path, std::move(*read)};
}

ScenarioFile read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    if (!file) {
        refuse(fmt::format("{} cannot be read: look at its rights", path.string()));
    }
    return parse(text, path.string());
}

void read_folder(const fs::path& folder, std::vector<ScenarioFile>& files) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const fs::path ending = entry.path().extension();
        if (ending == ".scenario" || ending == ".spec") paths.push_back(entry.path());
    }
    if (paths.empty()) {
        refuse(fmt::format("{} has no file that ends in .scenario or .spec: name another folder",
                           folder.string()));
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) files.push_back(read_file(path));
}

}  // namespace

std::vector<ScenarioFile> read_scenario_files(std::span<const std::string> names) {
    std::vector<ScenarioFile> inside;
    for (const CatalogueFile& file : catalogue()) {
        inside.push_back(parse(file.text, std::string(file.path)));
    }
    if (names.empty()) return inside;
    std::vector<ScenarioFile> files;
    for (const std::string& name : names) {
        const auto known = std::find_if(inside.begin(), inside.end(), [&](const ScenarioFile& f) {
            return f.scenario.name == name;
        });
        if (fs::is_directory(name)) {
            read_folder(name, files);
        } else if (fs::exists(name)) {
            files.push_back(read_file(name));
        } else if (known != inside.end()) {
            files.push_back(*known);
        } else {
            refuse(
                fmt::format("there is neither a file nor a scenario {}: 'isotap list' shows "
                            "those inside",
                            name));
        }
    }
    return files;
}

}  // namespace isotap::proxy
