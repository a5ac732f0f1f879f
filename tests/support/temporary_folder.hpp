#pragma once

#include <filesystem>
#include <optional>

#include "tests/support/process.hpp"

namespace isotap::test {

/// An empty folder with a short path (unix socket names are limited to 107 bytes), removed with all
/// it holds when its owner goes away. Given a user, it belongs to that user.
class TemporaryFolder {
  public:
    explicit TemporaryFolder(std::optional<User> owner = std::nullopt);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  private:
    std::filesystem::path path_;
};

/// Where fetched servers and other things worth keeping lie between runs: ISOTAP_CACHE, else the
/// user's cache folder. For root it is the machine's, since servers run as somebody else and
/// could not read root's own.
std::filesystem::path cache_folder();

void write_file(const std::filesystem::path& path, std::string_view text);
std::string read_file(const std::filesystem::path& path);

/// Gives a folder and all below to a user.
void give_to(const User& user, const std::filesystem::path& folder);

}  // namespace isotap::test
