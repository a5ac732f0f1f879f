#pragma once

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <utility>
#include <vector>

namespace isotap::test {

/// A user of the machine, by number.
struct User {
    uid_t user = 0;
    gid_t group = 0;
};

/// The user that database servers run as: they refuse to be root. Empty when we are not root, since
/// our own user does then.
std::optional<User> unprivileged_user();

/// What to start. The program is looked up in PATH when its name has no slash.
struct Command {
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment{};  ///< on top of our own
    std::optional<User> run_as{};
    std::filesystem::path folder{};  ///< working folder; ours when empty
    std::string input{};             ///< what the program finds on its standard input
    int end_signal = SIGTERM;        ///< how to ask it to end when the owner goes away
};

/// A child process that cannot outlive its owner: it leads its own process group, the destructor
/// asks it to end and then kills the group, and the kernel kills it when our thread dies first.
///
/// Both output streams are collected as one text by a thread of its own, so that the child never
/// blocks on a full pipe. Start it from a thread that lives as long as the child shall. Calls are
/// for one thread. Failure to start, and time running out, throw std::runtime_error with what the
/// program said.
class Process {
  public:
    explicit Process(Command command);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t id() const noexcept { return pid_; }

    /// All that it wrote so far.
    [[nodiscard]] std::string output() const;

    /// All that it wrote until it closed its output: waits for that.
    [[nodiscard]] std::string all_output();

    /// The first line that contains the text; waits for it. Throws when the program ends without.
    std::string wait_for_line(std::string_view text,
                              std::chrono::milliseconds patience = std::chrono::seconds(30));

    void signal(int number) const noexcept;

    /// True while it has not ended; never waits.
    [[nodiscard]] bool running();

    /// Waits for its end. The exit code, or 128 + signal as a shell says it.
    int wait(std::chrono::milliseconds patience = std::chrono::seconds(30));

    /// Asks it to end with its `end_signal` and waits; the exit code as wait() gives it.
    int stop(std::chrono::milliseconds patience = std::chrono::seconds(30));

  private:
    void start(const std::vector<std::string>& environment, int input, int output);
    void collect(int descriptor);
    bool reap(int options) noexcept;
    [[noreturn]] void fail(const std::string& what) const;

    Command command_;
    pid_t pid_ = -1;
    std::optional<int> exit_code_;
    std::thread collector_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::string output_;
    bool output_ended_ = false;
};

/// How a program ended, and everything that it said.
struct Finished {
    int exit_code = 0;
    std::string output;
};

/// Runs a program to its end.
Finished run(Command command, std::chrono::milliseconds patience = std::chrono::seconds(60));

/// As run(), but any exit code other than 0 throws with what the program said.
std::string run_or_throw(Command command,
                         std::chrono::milliseconds patience = std::chrono::seconds(60));

}  // namespace isotap::test
