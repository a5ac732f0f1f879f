#include "tests/support/process.hpp"

#include <stdexcept>
#include <sys/wait.h>

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

TEST(Process, GivesOutputInputAndExitCode) {
    const Finished echo = run({.arguments = {"cat"}, .input = "hello\n"});
    EXPECT_EQ(echo.exit_code, 0);
    EXPECT_EQ(echo.output, "hello\n");
    EXPECT_EQ(run({.arguments = {"sh", "-c", "echo oops >&2; exit 7"}}).exit_code, 7);
    EXPECT_EQ(run({.arguments = {"sh", "-c", "kill -9 $$"}}).exit_code, 128 + SIGKILL);
}

TEST(Process, SetsFolderAndEnvironment) {
    const TemporaryFolder folder;
    const std::string output = run_or_throw({.arguments = {"sh", "-c", "pwd; echo $ISOTAP_PROBE"},
                                             .environment = {{"ISOTAP_PROBE", "seen"}},
                                             .folder = folder.path()});
    EXPECT_EQ(output, folder.path().string() + "\nseen\n");
}

TEST(Process, SaysWhyAProgramCannotStart) {
    const Finished missing = run({.arguments = {"/no/such/program"}});
    EXPECT_EQ(missing.exit_code, 127);
    EXPECT_EQ(missing.output, "No such file or directory");
}

TEST(Process, WaitsForALine) {
    Process shell({.arguments = {"sh", "-c", "echo one; echo it is two now; cat"}});
    EXPECT_EQ(shell.wait_for_line("two"), "it is two now");
    EXPECT_THROW(shell.wait_for_line("three"), std::runtime_error) << "cat ends with its input";
}

TEST(Process, TakesItsWholeGroupAlong) {
    pid_t grandchild = 0;
    {
        Process shell({.arguments = {"sh", "-c", "tail -f /dev/null & echo pid $!; wait"}});
        grandchild = std::stoi(shell.wait_for_line("pid ").substr(4));
        ASSERT_EQ(kill(grandchild, 0), 0);
    }
    // It is dead at once; somebody else may still have to reap it.
    const std::string status_path = "/proc/" + std::to_string(grandchild) + "/status";
    if (kill(grandchild, 0) == 0) {
        EXPECT_NE(read_file(status_path).find("State:\tZ"), std::string::npos);
    }
}

TEST(Process, RunsAsAnotherUserWhenRoot) {
    const auto user = unprivileged_user();
    if (!user) GTEST_SKIP() << "not root: nobody to become";
    const std::string id = run_or_throw({.arguments = {"id", "-u"}, .run_as = user});
    EXPECT_EQ(id, std::to_string(user->user) + "\n");
}

}  // namespace
}  // namespace isotap::test
