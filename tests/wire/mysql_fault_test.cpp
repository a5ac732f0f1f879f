// The connection is cut at every step of a login, on either leg: the session is lost and nothing
// else. Other sessions work on, and nothing is left behind.
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/gate.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"

namespace isotap::test {
namespace {

enum class Leg { client, server };
enum class Direction { to_server, to_client };

struct Fault {
    Leg leg;
    Direction direction;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << (fault.leg == Leg::client ? "client_leg" : "server_leg")
         << (fault.direction == Direction::to_server ? "_to_server" : "_to_client");
}

class MysqlFault : public testing::TestWithParam<Fault> {
  protected:
    static void SetUpTestSuite() {
        // Every cut login counts against the proxy's host.
        server_ =
            std::make_unique<MysqlServer>(MysqlOptions{.settings = {"max-connect-errors=1000000"}});
    }
    static void TearDownTestSuite() { server_.reset(); }

    void SetUp() override {
        near_server_ = std::make_unique<Gate>(Endpoint{.port = server_->port()});
        proxy_ = std::make_unique<IsotapProcess>(
            "mysql://tap@127.0.0.1:" + std::to_string(near_server_->port()) + "/shop",
            std::vector<std::string>{"--mode", "observe"});
        near_client_ = std::make_unique<Gate>(Endpoint{.port = proxy_->port()});
    }

    [[nodiscard]] Gate& faulty() const {
        return GetParam().leg == Leg::client ? *near_client_ : *near_server_;
    }

    void inject(const LanePlan& lane) {
        const bool to_server = GetParam().direction == Direction::to_server;
        faulty().set_plan({.to_server = to_server ? lane : LanePlan{},
                           .to_client = to_server ? LanePlan{} : lane});
    }

    [[nodiscard]] std::size_t passed() const {
        return GetParam().direction == Direction::to_server ? faulty().bytes_to_server()
                                                            : faulty().bytes_to_client();
    }

    static bool answered(MysqlWire& client) {
        const std::vector<MysqlPacket> reply = client.query("SELECT 1");
        return !client.ended() && !reply.empty();
    }

    /// One login and one query. True when it went through.
    [[nodiscard]] bool converse() const {
        try {
            MysqlWire client(Endpoint{.port = near_client_->port()});
            const MysqlPacket last = client.log_in({});
            return !last.payload.empty() && last.head() == 0 && answered(client);
        } catch (const TimeRanOut&) {
            throw;  // the only thing that must not happen
        } catch (const std::runtime_error&) {
            return false;
        }
    }

    /// Waits until the server has no session but the one that asks.
    static void await_no_sessions() {
        const std::string others =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE user IN "
            "('tap', 'unauthenticated user')";
        while (server_->sql(others) != "0\n") {
            std::this_thread::yield();
        }
    }

    static inline std::unique_ptr<MysqlServer> server_;
    std::unique_ptr<Gate> near_server_;
    std::unique_ptr<IsotapProcess> proxy_;
    std::unique_ptr<Gate> near_client_;
};

TEST_P(MysqlFault, CutAtEveryByteLosesOneSessionOnly) {
    ASSERT_TRUE(converse());
    const std::size_t all = passed();
    await_no_sessions();
    const std::size_t descriptors = descriptors_of(proxy_->process().id());
    MysqlWire bystander(Endpoint{.port = proxy_->port()});
    bystander.log_in({});
    for (std::size_t n = 0; n < all; ++n) {
        inject({.reset_after = n});
        EXPECT_FALSE(converse()) << "cut after byte " << n;
        ASSERT_TRUE(answered(bystander)) << "cut after byte " << n;
    }
    inject({});
    EXPECT_TRUE(converse());
    bystander.stream().end_sending();
    while (!bystander.ended()) {
        bystander.read();
    }
    await_no_sessions();
    EXPECT_TRUE(proxy_->process().running()) << proxy_->log();
    EXPECT_LE(descriptors_of(proxy_->process().id()), descriptors) << "something is left open";
    EXPECT_EQ(proxy_->stop(), 0) << proxy_->log();
}

INSTANTIATE_TEST_SUITE_P(Login, MysqlFault,
                         testing::Values(Fault{Leg::client, Direction::to_server},
                                         Fault{Leg::client, Direction::to_client},
                                         Fault{Leg::server, Direction::to_server},
                                         Fault{Leg::server, Direction::to_client}),
                         [](const auto& named) { return testing::PrintToString(named.param); });

}  // namespace
}  // namespace isotap::test
