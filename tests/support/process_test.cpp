#include "tests/support/process.hpp"

#include <poll.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/descriptor.hpp"
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
    Descriptor grandchild;
    {
        Process shell({.arguments = {"sh", "-c", "tail -f /dev/null & echo pid $!; wait"}});
        const pid_t id = std::stoi(shell.wait_for_line("pid ").substr(4));
        grandchild = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id, 0)));
        ASSERT_TRUE(grandchild);
    }
    pollfd end{grandchild.get(), POLLIN, 0};
    EXPECT_EQ(poll(&end, 1, 10'000), 1) << "the grandchild outlives its group";
}

TEST(Process, RunsAsAnotherUserWhenRoot) {
    const auto user = unprivileged_user();
    if (!user) GTEST_SKIP() << "not root: nobody to become";
    const std::string id = run_or_throw({.arguments = {"id", "-u"}, .run_as = user});
    EXPECT_EQ(id, std::to_string(user->user) + "\n");
}

}  // namespace
}  // namespace isotap::test
