#include "tests/support/process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "tests/support/descriptor.hpp"

extern char** environ;

namespace isotap::test {
namespace {

std::vector<std::string> merged_environment(
    const std::vector<std::pair<std::string, std::string>>& added) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view old = *entry;
        bool replaced = false;
        for (const auto& [name, value] : added) {
            replaced = replaced || old.substr(0, old.find('=')) == name;
        }
        if (!replaced) {
            all.emplace_back(old);
        }
    }
    for (const auto& [name, value] : added) {
        all.push_back(name);
        all.back().append("=").append(value);
    }
    return all;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> all;
    all.reserve(texts.size() + 1);
    for (const std::string& text : texts) {
        all.push_back(const_cast<char*>(text.c_str()));
    }
    all.push_back(nullptr);
    return all;
}

/// Input as an unlinked file: no thread has to feed it, and any size fits.
Descriptor input_file(const std::string& input) {
    if (input.empty()) {
        return Descriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    Descriptor file(memfd_create("input", MFD_CLOEXEC));
    std::size_t written = 0;
    while (written < input.size()) {
        const ssize_t n = write(file.get(), input.data() + written, input.size() - written);
        if (n < 0) throw std::system_error(errno, std::generic_category(), "input of a process");
        written += static_cast<std::size_t>(n);
    }
    lseek(file.get(), 0, SEEK_SET);
    return file;
}

}  // namespace

std::optional<User> unprivileged_user() {
    if (geteuid() != 0) {
        return std::nullopt;
    }
    for (const char* name : {"postgres", "nobody"}) {
        if (const passwd* entry = getpwnam(name)) {  // NOLINT(concurrency-mt-unsafe)
            return User{entry->pw_uid, entry->pw_gid};
        }
    }
    throw std::runtime_error("no unprivileged user to run a server as");
}

Process::Process(Command command) : command_(std::move(command)) {
    std::array<int, 2> pipe{};
    if (pipe2(pipe.data(), O_CLOEXEC) != 0) {
        throw std::system_error(errno, std::generic_category(), "pipe");
    }
    Descriptor read_end(pipe[0]);
    const Descriptor write_end(pipe[1]);
    const Descriptor input = input_file(command_.input);
    start(merged_environment(command_.environment), input.get(), write_end.get());
    collector_ = std::thread([this, fd = read_end.release()] { collect(fd); });
}

/// Between fork and exec only calls that are safe in a copy of a program with threads.
void Process::start(const std::vector<std::string>& environment, int input, int output) {
    const std::vector<char*> arguments = pointers(command_.arguments);
    const std::vector<char*> variables = pointers(environment);
    const std::string folder = command_.folder.string();
    const Descriptor program(open(arguments[0], O_PATH | O_CLOEXEC));
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) {
        throw std::system_error(errno, std::generic_category(), "fork");
    }
    if (pid_ > 0) {
        // Both sides do it, so that the group exists whoever runs first.
        setpgid(pid_, pid_);
        return;
    }
    setpgid(0, 0);
    bool ready = dup2(input, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2;
    if (command_.run_as) {
        ready = ready && setgroups(0, nullptr) == 0 && setgid(command_.run_as->group) == 0 &&
                setuid(command_.run_as->user) == 0;
    }
    // After setuid, which forgets it.
    prctl(PR_SET_PDEATHSIG, command_.end_signal == SIGQUIT ? SIGQUIT : SIGKILL);
    ready = ready && getppid() == parent && (folder.empty() || chdir(folder.c_str()) == 0);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    if (ready) {
        execvpe(arguments[0], arguments.data(), variables.data());
        // A build in a folder that is closed to the other user runs by the descriptor.
        if (errno == EACCES) {
            execveat(program.get(), "", arguments.data(), variables.data(), AT_EMPTY_PATH);
        }
    }
    const char* reason = strerrordesc_np(errno);
    const bool told = write(2, reason, std::strlen(reason)) > 0;
    _exit(told ? 127 : 126);
}

Process::~Process() {
    if (!reap(WNOHANG)) {
        signal(command_.end_signal);
        try {
            wait(std::chrono::seconds(5));
        } catch (const std::runtime_error&) {
            signal(SIGKILL);
            reap(0);
        }
    }
    // Whatever it left behind in its group.
    ::kill(-pid_, SIGKILL);
    collector_.join();
}

void Process::collect(int descriptor) {
    const Descriptor input(descriptor);
    std::array<char, 4096> chunk{};
    for (;;) {
        const ssize_t n = read(input.get(), chunk.data(), chunk.size());
        if (n < 0 && errno == EINTR) continue;
        const std::lock_guard lock(mutex_);
        output_ended_ = n <= 0;
        if (n > 0) output_.append(chunk.data(), static_cast<std::size_t>(n));
        changed_.notify_all();
        if (output_ended_) return;
    }
}

std::string Process::output() const {
    const std::lock_guard lock(mutex_);
    return output_;
}

std::string Process::all_output() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return output_ended_; });
    return output_;
}

std::string Process::wait_for_line(std::string_view text, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    std::string line;
    const auto found = [&] {
        const std::size_t at = output_.find(text);
        const std::size_t end = at == std::string::npos ? at : output_.find('\n', at);
        if (end == std::string::npos) return false;
        const std::size_t newline = output_.rfind('\n', at);
        const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
        line = output_.substr(begin, end - begin);
        return true;
    };
    changed_.wait_for(lock, patience, [&] { return found() || output_ended_; });
    if (line.empty()) {
        lock.unlock();
        fail("never said '" + std::string(text) + "'");
    }
    return line;
}

void Process::signal(int number) const noexcept {
    if (!exit_code_) ::kill(pid_, number);
}

bool Process::reap(int options) noexcept {
    if (exit_code_) return true;
    int status = 0;
    if (waitpid(pid_, &status, options) != pid_) return false;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

bool Process::running() {
    return !reap(WNOHANG);
}

int Process::wait(std::chrono::milliseconds patience) {
    const Descriptor end(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    pollfd event{end.get(), POLLIN, 0};
    if (!exit_code_ && poll(&event, 1, static_cast<int>(patience.count())) == 0) {
        fail("did not end in time");
    }
    reap(0);
    return exit_code_.value_or(-1);
}

int Process::stop(std::chrono::milliseconds patience) {
    signal(command_.end_signal);
    return wait(patience);
}

void Process::fail(const std::string& what) const {
    std::string message = command_.arguments.front() + " " + what;
    throw std::runtime_error(message + "; it said:\n" + output());
}

Finished run(Command command, std::chrono::milliseconds patience) {
    command.end_signal = SIGKILL;
    Process process(std::move(command));
    Finished finished;
    finished.exit_code = process.wait(patience);
    finished.output = process.all_output();
    return finished;
}

std::string run_or_throw(Command command, std::chrono::milliseconds patience) {
    const std::string name = command.arguments.front();
    Finished finished = run(std::move(command), patience);
    if (finished.exit_code != 0) {
        throw std::runtime_error(name + " ended with " + std::to_string(finished.exit_code) +
                                 ":\n" + finished.output);
    }
    return std::move(finished.output);
}

}  // namespace isotap::test
