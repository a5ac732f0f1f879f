#include "tests/support/debian_folder.hpp"

#include <cstdio>

#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {

std::filesystem::path debian_folder(const std::string& name,
                                    const std::vector<std::string>& packages) {
    Command command{.arguments = {"python3", source_folder() / "tests/support/debian_folder.py",
                                  cache_folder(), name}};
    command.arguments.insert(command.arguments.end(), packages.begin(), packages.end());
    const Finished asked = run(command, std::chrono::minutes(10));
    if (asked.exit_code != 0) {
        std::fprintf(stderr, "SKIPPED: %s: %s\n", name.c_str(), asked.output.c_str());
        return {};
    }
    return asked.output.substr(0, asked.output.find('\n'));
}

std::vector<std::string> program_of(const std::filesystem::path& folder,
                                    const std::string& program) {
    return {folder / "lib64/ld-linux-x86-64.so.2", "--library-path",
            folder / "usr/lib/x86_64-linux-gnu", folder / program};
}

}  // namespace isotap::test
