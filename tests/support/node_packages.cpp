#include "tests/support/node_packages.hpp"

#include <chrono>
#include <stdexcept>
#include <unistd.h>

#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {

namespace fs = std::filesystem;

NodePackages node_packages(const std::string& name, const std::vector<std::string>& packages) {
    const fs::path folder = cache_folder() / name;
    if (fs::exists(folder / "node_modules")) {
        return {folder};
    }
    const fs::path fresh = folder.string() + "." + std::to_string(getpid());
    Command install{.arguments = {"npm", "install", "--loglevel=error", "--no-audit", "--no-fund",
                                  "--fetch-retries=1", "--fetch-retry-mintimeout=1000",
                                  "--fetch-retry-maxtimeout=1000", "--prefix", fresh}};
    install.arguments.insert(install.arguments.end(), packages.begin(), packages.end());
    std::string why;
    try {
        const Finished fetched = run(std::move(install), std::chrono::minutes(2));
        if (fetched.exit_code != 0) {
            why = "npm ended with " + std::to_string(fetched.exit_code) + ": " + fetched.output;
        }
    } catch (const std::runtime_error& late) {
        why = late.what();
    }
    std::error_code ignored;
    if (!why.empty()) {
        fs::remove_all(fresh, ignored);
        return {{}, name + " cannot be fetched: " + why};
    }
    fs::rename(fresh, folder, ignored);  // another test may have been faster
    return {folder};
}

}  // namespace isotap::test
