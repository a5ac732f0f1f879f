// `isotap sandbox`: a server comes up, and goes without a trace.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

class Sandboxes : public testing::TestWithParam<const char*> {};

TEST_P(Sandboxes, RunAScenarioAndLeaveNoTrace) {
    const TemporaryFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
    const std::string program = build_folder() / "isotap";
    Process sandbox({.arguments = {program, "sandbox", GetParam()},
                     .environment = {{"TMPDIR", folder.path()}},
                     .end_signal = SIGINT});
    const std::string line = sandbox.wait_for_line("sandbox at", std::chrono::minutes(2));
    const std::string url = line.substr(line.find("at ") + 3);
    const Finished done = run({.arguments = {program, "run", "G0", "--direct", "--target", url}});
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(sandbox.stop(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(Each, Sandboxes, testing::Values("postgres", "mariadb"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST(Sandbox, RefusesAnEngineThatItDoesNotKnow) {
    const Finished done = run({.arguments = {build_folder() / "isotap", "sandbox", "oracle"}});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_NE(done.output.find("choose postgres, mariadb or mysql"), std::string::npos);
}

TEST(List, ShowsTheScenariosInsideThatMatch) {
    const Finished done = run({.arguments = {build_folder() / "isotap", "list", "^mdev-266"}});
    EXPECT_EQ(done.exit_code, 0);
    EXPECT_NE(done.output.find("MDEV-26642"), std::string::npos) << done.output;
    EXPECT_EQ(done.output.find("MDEV-27992"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace isotap::test
