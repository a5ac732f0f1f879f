#pragma once

#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

/// Programs of other people, run as somebody without rights: servers refuse to be root.
namespace isotap::proxy {

struct Account {
    uid_t user = 0;
    gid_t group = 0;
};

/// Ourselves, unless we are root: then the first of these that the machine knows, or `nobody`.
Account unprivileged_account(std::string_view preferred);

/// Starts a program in a folder, in a process group of its own, both outputs into one file. Throws
/// StartupError (failure).
pid_t start_program(const std::vector<std::string>& arguments, const std::string& folder,
                    const std::string& output, const Account& account);

/// Waits for its end. Throws StartupError (failure) with the end of its output unless the exit code
/// is 0.
void run_program(const std::vector<std::string>& arguments, const std::string& folder,
                 const std::string& output, const Account& account);

/// The last lines of a file.
std::string end_of_file(const std::string& path);

}  // namespace isotap::proxy
