#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace isotap::test {

/// Packages of the npm registry in a folder of the cache, or why they cannot be had.
struct NodePackages {
    std::filesystem::path folder;  ///< holds `node_modules`; empty when they cannot be had
    std::string why{};
};

/// Fetched once for all tests of the machine: `name` says which packages and versions they are.
/// Where there is no registry this says so after seconds, not minutes.
NodePackages node_packages(const std::string& name, const std::vector<std::string>& packages);

}  // namespace isotap::test
