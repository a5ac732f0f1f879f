// `isotap sandbox`: a server comes up, and goes without a trace.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

class Sandboxes : public testing::TestWithParam<const char*> {};

TEST_P(Sandboxes, RunAScenarioAndLeaveNoTrace) {
    const TemporaryFolder folder;
    std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
    // A server of the MySQL family takes such a file for one of its own, left from before.
    const auto others = folder.path() / "#sql-temptable-of-another-1.MAI";
    write_file(others, "");
    std::filesystem::permissions(others, std::filesystem::perms::all);
    const std::string program = build_folder() / "isotap";
    Process sandbox({.arguments = {program, "sandbox", GetParam()},
                     .environment = {{"TMPDIR", folder.path()}},
                     .end_signal = SIGINT});
    const std::string line = sandbox.wait_for_line("sandbox at", std::chrono::minutes(2));
    const std::string url = line.substr(line.find("at ") + 3);
    const Finished done = run({.arguments = {program, "run", "G0", "--direct", "--target", url}});
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(sandbox.stop(), 0);
    EXPECT_TRUE(std::filesystem::remove(others)) << "another server misses its table";
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

INSTANTIATE_TEST_SUITE_P(Each, Sandboxes, testing::Values("postgres", "mariadb"),
                         [](const auto& kind) { return std::string(kind.param); });

/// A PATH in which `podman` is what the text says, and nothing else is but the usual.
std::string path_with_podman(const TemporaryFolder& folder, const std::string& script) {
    const auto podman = folder.path() / "podman";
    write_file(podman, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(podman, std::filesystem::perms::all);
    return folder.path().string() + ":/usr/bin:/bin";
}

/// Oracle's server comes from an image where only MariaDB is installed.
TEST(Sandbox, RunsAnImageWhereNoServerIsInstalled) {
    const std::filesystem::path mysqld = "/usr/sbin/mysqld";
    if (exists(mysqld) && canonical(mysqld).filename() == "mysqld") {
        GTEST_SKIP() << "it is installed here";
    }
    MysqlServer server({.flavour = MysqlFlavour::mariadb});
    server.sql("CREATE DATABASE IF NOT EXISTS sandbox");
    const TemporaryFolder folder;
    const auto said = folder.path() / "said";
    const std::string script = "exec python3 " +
                               (source_folder() / "tests/integration/stub_podman.py").string() +
                               " \"$@\"";
    Process sandbox({.arguments = {build_folder() / "isotap", "sandbox", "mysql"},
                     .environment = {{"PATH", path_with_podman(folder, script)},
                                     {"STUB_SERVER", std::to_string(server.port())},
                                     {"STUB_LOG", said}},
                     .end_signal = SIGINT});
    const std::string line = sandbox.wait_for_line("sandbox at", std::chrono::minutes(2));
    EXPECT_NE(line.find("mysql://root@127.0.0.1:"), std::string::npos) << line;
    const std::string url = line.substr(line.find("at ") + 3);
    const Finished done =
        run({.arguments = {build_folder() / "isotap", "run", "G0", "--direct", "--target", url}});
    EXPECT_EQ(done.exit_code, 0) << done.output;
    EXPECT_EQ(sandbox.stop(), 0);
    const std::string commands = read_file(said);
    EXPECT_NE(commands.find("docker.io/library/mysql"), std::string::npos) << commands;
    EXPECT_NE(commands.find("\nrm --force isotap-sandbox-"), std::string::npos) << commands;
}

TEST(Sandbox, SaysWhatTheImageEngineSaysWhenThereIsNone) {
    const TemporaryFolder folder;
    const Finished done =
        run({.arguments = {build_folder() / "isotap", "sandbox", "mysql"},
             .environment = {{"PATH", path_with_podman(folder, "echo no such image; exit 125")}}});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_NE(done.output.find("no such image"), std::string::npos) << done.output;
}

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
