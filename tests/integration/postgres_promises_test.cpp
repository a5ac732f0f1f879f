// Promises of docs/TRANSPARENCY.md that only show from outside, on a whole proxy.
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/descriptor.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

/// Whether each connected TCP socket of a process sends at once: the option itself, read from the
/// outside, since a delay of 40 ms on a busy machine shows nothing.
std::vector<bool> sends_at_once(pid_t process) {
    std::vector<bool> found;
    const Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    for (int number = 0; number < 64; ++number) {
        const Descriptor socket(
            static_cast<int>(syscall(SYS_pidfd_getfd, handle.get(), number, 0)));
        sockaddr_in peer{};
        socklen_t length = sizeof peer;
        if (!socket ||
            getpeername(socket.get(), reinterpret_cast<sockaddr*>(&peer), &length) != 0 ||
            peer.sin_family != AF_INET) {
            continue;
        }
        int option = 0;
        length = sizeof option;
        getsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &option, &length);
        found.push_back(option != 0);
    }
    return found;
}

class PostgresPromises : public testing::Test {
  protected:
    static void SetUpTestSuite() { server_ = std::make_unique<PostgresServer>(); }
    static void TearDownTestSuite() { server_.reset(); }
    static PostgresServer& server() { return *server_; }

  private:
    static inline std::unique_ptr<PostgresServer> server_;
};

TEST_F(PostgresPromises, X09BothLegsSendAtOnce) {
    IsotapProcess proxy(server().url());
    PostgresWire client({.port = proxy.port()});
    client.start();
    EXPECT_EQ(sends_at_once(proxy.process().id()), (std::vector<bool>{true, true}));
}

TEST_F(PostgresPromises, X11OneSessionTooManyIsRefusedInThePostgresWay) {
    IsotapProcess proxy(server().url(), {"--limits.sessions", "1", "--admin", "127.0.0.1:0"});
    PostgresWire first({.port = proxy.port()});
    first.start();
    PostgresWire second({.port = proxy.port()});
    second.send(startup_packet({{"user", "postgres"}, {"database", "postgres"}}));
    const std::vector<Frame> frames = second.read_until('-');
    ASSERT_EQ(frames.size(), 1U) << "one message and the end";
    EXPECT_EQ(error_in(frames).sqlstate, "53300");
    EXPECT_EQ(error_field(frames[0].body, 'S'), "FATAL");
    EXPECT_EQ(error_field(frames[0].body, 'V'), "FATAL");
    EXPECT_THAT(error_in(frames).text, testing::HasSubstr("limits.sessions"));
    EXPECT_EQ(first.query("SELECT 1").back().type, 'Z') << "the other one goes on";
    EXPECT_EQ(proxy.metrics().at("isotap_dial_failures_total"), 0) << "nobody was dialled";
}

TEST_F(PostgresPromises, X11AnErrorOfTheServerIsNotDressedUp) {
    IsotapProcess proxy(server().url());
    const auto refused_by = [](std::uint16_t port) {
        PostgresWire client({.port = port});
        client.send(startup_packet({{"user", "nobody_of_that_name"}, {"database", "postgres"}}));
        return client.read_until('-');
    };
    const std::vector<Frame> direct = refused_by(server().port());
    const std::vector<Frame> through = refused_by(proxy.port());
    ASSERT_EQ(through.size(), direct.size());
    for (std::size_t i = 0; i < direct.size(); ++i) {
        EXPECT_EQ(through[i].body, direct[i].body);
    }
}

TEST_F(PostgresPromises, X15TheServerSeesTheProxy) {
    const std::string where = "SELECT coalesce(inet_client_addr()::text, 'unix socket')";
    const auto seen_through = [&](const IsotapProcess& proxy) {
        PostgresWire client({.port = proxy.port()});
        client.start();
        for (const Frame& frame : client.query(where)) {
            if (frame.type == 'D') return frame.body.substr(6);
        }
        return std::string("no row");
    };
    const IsotapProcess by_tcp(server().url());
    EXPECT_EQ(seen_through(by_tcp), "127.0.0.1/32");
    const IsotapProcess by_socket("postgres://postgres@:" + std::to_string(server().port()) +
                                  "/postgres?host=" + server().folder().string());
    EXPECT_EQ(seen_through(by_socket), "unix socket")
        << "the client came over TCP: rules of pg_hba.conf apply to the proxy's connection";
}

}  // namespace
}  // namespace isotap::test
