#include "tests/support/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace isotap::test {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(std::optional<User> owner) {
    std::string name = (fs::temp_directory_path() / "isotap-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::system_error(errno, std::generic_category(), name);
    }
    path_ = name;
    if (owner) give_to(*owner, path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

fs::path cache_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it
        return fs::path(value == nullptr ? "" : value);
    };
    fs::path folder = variable("ISOTAP_CACHE");
    if (folder.empty() && !variable("XDG_CACHE_HOME").empty()) {
        folder = variable("XDG_CACHE_HOME") / "isotap";
    }
    if (folder.empty()) {
        folder = geteuid() == 0 ? "/var/cache/isotap" : variable("HOME") / ".cache" / "isotap";
    }
    fs::create_directories(folder);
    return folder;
}

void write_file(const fs::path& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

void give_to(const User& user, const fs::path& folder) {
    const auto give = [&](const fs::path& path) {
        if (lchown(path.c_str(), user.user, user.group) != 0) {
            throw std::system_error(errno, std::generic_category(), path.string());
        }
    };
    give(folder);
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        give(entry.path());
    }
}

}  // namespace isotap::test
