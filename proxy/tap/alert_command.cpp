#include "proxy/tap/alert_command.hpp"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "proxy/net/descriptor.hpp"

namespace isotap::proxy {
namespace {

bool write_all(int descriptor, const std::string& text) noexcept {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t wrote = write(descriptor, text.data() + done, text.size() - done);
        if (wrote < 0) {
            return false;
        }
        done += static_cast<std::size_t>(wrote);
    }
    return lseek(descriptor, 0, SEEK_SET) == 0;
}

/// A group of its own, so that all of it can be killed; the signals as a shell expects them.
int spawn(pid_t& child, const std::string& command, int input) noexcept {
    posix_spawn_file_actions_t actions{};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawnattr_t attributes{};
    posix_spawnattr_init(&attributes);
    sigset_t none{};
    sigset_t standard{};
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    sigaddset(&standard, SIGXFSZ);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
    const int error = posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

}  // namespace

std::string run_alert_command(const std::string& command, const std::string& input,
                              std::chrono::milliseconds patience) noexcept {
    // A file in memory: a command that does not read cannot make us wait.
    const Descriptor file(memfd_create("alert", MFD_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), input)) {
        return std::generic_category().message(errno);
    }
    pid_t child = 0;
    if (const int error = spawn(child, command, file.get()); error != 0) {
        return std::generic_category().message(error);
    }
    const Descriptor ended(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
    pollfd awaited{ended.get(), POLLIN, 0};
    const bool in_time = poll(&awaited, 1, static_cast<int>(patience.count())) > 0;
    if (!in_time) {
        kill(-child, SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!in_time) {
        return "it did not end in time and was killed";
    }
    if (WIFSIGNALED(status)) {
        return fmt::format("it was ended by signal {}", WTERMSIG(status));
    }
    return status == 0 ? "" : fmt::format("it ended with {}", WEXITSTATUS(status));
}

}  // namespace isotap::proxy
