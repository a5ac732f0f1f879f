// The connection is cut at every step of a handshake, on either leg: the session is lost and
// nothing else. Other sessions work on, and nothing is left behind.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/gate.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

enum class Leg { client, server };
enum class Direction { to_server, to_client };

struct Fault {
    std::string mode;
    bool tls;
    Leg leg;
    Direction direction;
};

void PrintTo(const Fault& fault, std::ostream* out) {
    *out << fault.mode << (fault.tls ? "_tls" : "")
         << (fault.leg == Leg::client ? "_client_leg" : "_server_leg")
         << (fault.direction == Direction::to_server ? "_to_server" : "_to_client");
}

/// Every byte at first, where the fields are; every seventh in the long list of parameters. A TLS
/// handshake is long and slow: a sample of it, unless ISOTAP_EVERY_BYTE asks for all.
std::vector<std::size_t> steps(std::size_t all, bool tls) {
    const bool every = std::getenv("ISOTAP_EVERY_BYTE") != nullptr;
    const std::size_t dense = every ? all : tls ? 16 : 48;
    const std::size_t stride = tls ? 97 : 7;
    // Where a TLS conversation ends is no fixed place: signatures differ in length, and the alerts
    // that close it come behind the answer.
    const std::size_t end = tls ? all - std::min<std::size_t>(all, 64) : all;
    std::vector<std::size_t> list;
    for (std::size_t n = 0; n < end; n += n < dense ? 1 : stride) {
        list.push_back(n);
    }
    return list;
}

class PostgresFault : public testing::TestWithParam<Fault> {
  protected:
    static void SetUpTestSuite() {
        server_ = std::make_unique<PostgresServer>(PostgresOptions{.tls = true});
    }
    static void TearDownTestSuite() { server_.reset(); }

    void SetUp() override {
        near_server_ = std::make_unique<Gate>(Endpoint{.port = server_->port()});
        proxy_ = std::make_unique<IsotapProcess>(
            "postgres://postgres@127.0.0.1:" + std::to_string(near_server_->port()) + "/postgres",
            std::vector<std::string>{"--mode", GetParam().mode, "--tls", "mirror",
                                     "--tls-certificate", server_->certificate().certificate,
                                     "--tls-key", server_->certificate().key});
        near_client_ = std::make_unique<Gate>(Endpoint{.port = proxy_->port()});
    }

    [[nodiscard]] Endpoint past_the_gate() const { return {.port = proxy_->port()}; }
    [[nodiscard]] Endpoint through_the_gate() const { return {.port = near_client_->port()}; }

    void inject(const LanePlan& lane) {
        const bool to_server = GetParam().direction == Direction::to_server;
        const GatePlan plan{.to_server = to_server ? lane : LanePlan{},
                            .to_client = to_server ? LanePlan{} : lane};
        (GetParam().leg == Leg::client ? near_client_ : near_server_)->set_plan(plan);
    }

    /// What passed so far where the fault is to be.
    [[nodiscard]] std::size_t passed() const {
        const Gate& gate = GetParam().leg == Leg::client ? *near_client_ : *near_server_;
        return GetParam().direction == Direction::to_server ? gate.bytes_to_server()
                                                            : gate.bytes_to_client();
    }

    static bool answered(PostgresWire& client) {
        const std::vector<Frame> frames = client.query("SELECT 1");
        return !frames.empty() && frames.back().type == 'Z';
    }

    /// One handshake and one query. True when it went through.
    static bool converse(const Endpoint& peer) {
        try {
            PostgresWire client(peer);
            if (GetParam().tls) client.start_tls();
            client.start();
            return answered(client);
        } catch (const TimeRanOut&) {
            throw;  // the only thing that must not happen
        } catch (const std::runtime_error&) {
            return false;
        }
    }

    /// Waits on the server for sessions to go; a session that stays makes it throw.
    static void await_no_sessions() {
        server_->sql(
            "SET statement_timeout = '10s';"
            "DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE client_port > 0) LOOP "
            "PERFORM pg_sleep(0.002); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");
    }

    static inline std::unique_ptr<PostgresServer> server_;
    std::unique_ptr<Gate> near_server_;
    std::unique_ptr<IsotapProcess> proxy_;
    std::unique_ptr<Gate> near_client_;
};

TEST_P(PostgresFault, CutAtEveryByteLosesOneSessionOnly) {
    ASSERT_TRUE(converse(through_the_gate()));
    const std::size_t all = passed();
    await_no_sessions();
    const std::size_t descriptors = descriptors_of(proxy_->process().id());
    PostgresWire bystander(past_the_gate());
    bystander.start();
    for (const std::size_t n : steps(all, GetParam().tls)) {
        inject({.reset_after = n});
        EXPECT_FALSE(converse(through_the_gate())) << "cut after byte " << n;
        ASSERT_TRUE(answered(bystander)) << "cut after byte " << n;
    }
    inject({});
    EXPECT_TRUE(converse(through_the_gate()));
    bystander.stream().end_sending();
    bystander.read_until('-');
    await_no_sessions();
    EXPECT_TRUE(proxy_->process().running()) << proxy_->log();
    EXPECT_LE(descriptors_of(proxy_->process().id()), descriptors) << "something is left open";
    EXPECT_EQ(proxy_->stop(), 0) << proxy_->log();
}

TEST_P(PostgresFault, SilenceAtAnyByteEndsWithTheClient) {
    ASSERT_TRUE(converse(through_the_gate()));
    const std::size_t all = passed();
    for (std::size_t n = 1; n < all; n += all / 9 + 1) {
        inject({.stop_reading_after = n});
        PostgresWire client(through_the_gate());
        client.send(GetParam().tls
                        ? MessageWriter().be32(ssl_request).framed()
                        : startup_packet({{"user", "postgres"}, {"database", "postgres"}}));
        client.stream().reset();
    }
    inject({});
    EXPECT_TRUE(converse(through_the_gate()));
    near_client_.reset();
    near_server_.reset();
    await_no_sessions();
    EXPECT_EQ(proxy_->stop(), 0) << proxy_->log();
}

std::vector<Fault> every_fault() {
    std::vector<Fault> all;
    for (const Leg leg : {Leg::client, Leg::server}) {
        for (const Direction direction : {Direction::to_server, Direction::to_client}) {
            all.push_back({"relay", false, leg, direction});
            all.push_back({"observe", false, leg, direction});
            all.push_back({"observe", true, leg, direction});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Handshake, PostgresFault, testing::ValuesIn(every_fault()),
                         [](const auto& fault) { return testing::PrintToString(fault.param); });

}  // namespace
}  // namespace isotap::test
