#include "proxy/workload/child.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <grp.h>
#include <iterator>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {
namespace {

constexpr std::size_t output_shown = 600;
constexpr int not_started = 127;

/// In the child: becomes the program, or ends.
[[noreturn]] void become(std::vector<char*>& arguments, const std::string& folder, int output,
                         const Account& account) {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    const bool other = geteuid() == 0 && account.user != 0;
    if (other &&
        (setgroups(0, nullptr) != 0 || setgid(account.group) != 0 || setuid(account.user) != 0)) {
        _exit(not_started);
    }
    if (chdir(folder.c_str()) != 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0) {
        _exit(not_started);
    }
    execvp(arguments[0], arguments.data());
    _exit(not_started);
}

}  // namespace

Account unprivileged_account(std::string_view preferred) {
    if (geteuid() != 0) return {geteuid(), getegid()};
    for (const std::string& name : {std::string(preferred), std::string("nobody")}) {
        std::array<char, 4096> memory{};
        passwd entry{};
        passwd* found = nullptr;
        if (getpwnam_r(name.c_str(), &entry, memory.data(), memory.size(), &found) == 0 &&
            found != nullptr) {
            return {entry.pw_uid, entry.pw_gid};
        }
    }
    throw StartupError(StartupError::Kind::failure,
                       "there is no user 'nobody' to run a server as: run this as somebody else "
                       "than root");
}

pid_t start_program(const std::vector<std::string>& arguments, const std::string& folder,
                    const std::string& output, const Account& account) {
    std::vector<std::string> copies = arguments;
    std::vector<char*> pointers(copies.size() + 1);  // the last one stays null
    std::transform(copies.begin(), copies.end(), pointers.begin(),
                   [](std::string& copy) { return copy.data(); });
    const int file = open(output.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    const pid_t child = file < 0 ? -1 : fork();
    if (child == 0) become(pointers, folder, file, account);
    const int reason = errno;
    if (file >= 0) ::close(file);
    if (child < 0) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("{} cannot be started: {}: look at the machine",
                                       arguments.front(), std::system_category().message(reason)));
    }
    return child;
}

void run_program(const std::vector<std::string>& arguments, const std::string& folder,
                 const std::string& output, const Account& account) {
    const pid_t child = start_program(arguments, folder, output, account);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw StartupError(
            StartupError::Kind::failure,
            fmt::format("{} failed: it said '{}'", arguments.front(), end_of_file(output)));
    }
}

std::string end_of_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (text.size() > output_shown) text.erase(0, text.size() - output_shown);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace isotap::proxy
