#include "proxy/workload/sandbox_image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using testing::ElementsAre;

TEST(SandboxImage, RunsTheServerOnThePortOfThisMachineAlone) {
    const SandboxImage image = sandbox_image(SandboxKind::mysql, "podman", "box", "4711");
    EXPECT_THAT(image.run,
                ElementsAre("podman", "run", "--rm", "--name=box", "--publish=127.0.0.1:4711:3306",
                            "--env=MYSQL_ALLOW_EMPTY_PASSWORD=yes", "--env=MYSQL_DATABASE=sandbox",
                            "docker.io/library/mysql", "--innodb-flush-log-at-trx-commit=0"));
    EXPECT_THAT(image.remove, ElementsAre("podman", "rm", "--force", "box"));
    EXPECT_EQ(image.url, "mysql://root@127.0.0.1:4711/sandbox");
}

TEST(SandboxImage, KnowsWhereEachEngineListens) {
    const SandboxImage postgres = sandbox_image(SandboxKind::postgres, "docker", "box", "4711");
    EXPECT_EQ(postgres.run.at(4), "--publish=127.0.0.1:4711:5432");
    EXPECT_EQ(postgres.url, "postgres://postgres@127.0.0.1:4711/postgres");
    const SandboxImage mariadb = sandbox_image(SandboxKind::mariadb, "docker", "box", "4711");
    EXPECT_EQ(mariadb.run.at(4), "--publish=127.0.0.1:4711:3306");
    EXPECT_EQ(mariadb.url, "mysql://root@127.0.0.1:4711/sandbox");
}

}  // namespace
}  // namespace isotap::proxy
