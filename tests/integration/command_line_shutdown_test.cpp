// The way to the end, with sessions that have work in flight at a real server.
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

using testing::HasSubstr;

class Shutdown : public testing::Test {
  protected:
    static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
    static void TearDownTestSuite() { server_.reset(); }

    static std::unique_ptr<PostgresServer> server_;
};
std::unique_ptr<PostgresServer> Shutdown::server_;

TEST_F(Shutdown, LetsATransactionFinishAndCutsNothing) {
    IsotapProcess isotap(server_->url(), {"--mode", "observe"});
    PostgresWire client(Endpoint{.port = isotap.port()});
    client.start();
    client.send(query_message("begin"));
    client.read_until('Z');
    isotap.process().signal(SIGTERM);
    isotap.process().wait_for_line("stopping: 1 sessions are open");
    client.send(query_message("commit"));
    EXPECT_THAT(client.read_until('E').back().body, HasSubstr("57P01"));
    client.stream().end_sending();
    EXPECT_EQ(isotap.process().wait(), 0);
    EXPECT_THAT(isotap.process().all_output(), HasSubstr("no session was cut"));
}

TEST_F(Shutdown, CutsWhatIsLeftWhenTheTimeIsOver) {
    IsotapProcess isotap(server_->url(), {"--mode", "observe", "--drain-timeout", "50ms"});
    PostgresWire client(Endpoint{.port = isotap.port()});
    client.start();
    client.send(query_message("begin"));
    client.read_until('Z');
    isotap.process().signal(SIGTERM);
    EXPECT_EQ(isotap.process().wait(), 3);
    EXPECT_THAT(isotap.process().all_output(),
                testing::AllOf(HasSubstr("the drain time-out is over"),
                               HasSubstr("1 sessions were cut in their work")));
}

TEST_F(Shutdown, ASecondSignalEndsAtOnce) {
    IsotapProcess isotap(server_->url(), {"--mode", "observe", "--drain-timeout", "1h"});
    PostgresWire client(Endpoint{.port = isotap.port()});
    client.start();
    client.send(query_message("begin"));
    client.read_until('Z');
    isotap.process().signal(SIGTERM);
    isotap.process().wait_for_line("stopping: ");
    isotap.process().signal(SIGTERM);
    EXPECT_EQ(isotap.process().wait(), 3);
    EXPECT_THAT(isotap.process().all_output(), HasSubstr("a second signal came"));
}

TEST_F(Shutdown, EndsIdleSessionsWithTheServersOwnWords) {
    IsotapProcess isotap(server_->url(), {"--mode", "observe"});
    PostgresWire client(Endpoint{.port = isotap.port()});
    client.start();
    isotap.process().signal(SIGTERM);
    const auto frames = client.read_until('E');
    ASSERT_FALSE(frames.empty());
    EXPECT_THAT(frames.back().body, HasSubstr("57P01"));
    client.stream().end_sending();
    EXPECT_EQ(isotap.process().wait(), 0);
}

}  // namespace
}  // namespace isotap::test
