// How soon an anomaly is told when nothing at all follows on the stream: the commit that closes the
// cycle is the last thing that anybody says.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"

namespace isotap::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int rounds = 15;

void run(PostgresWire& client, std::string_view sql) {
    for (const Frame& frame : client.query(sql)) {
        ASSERT_NE(frame.type, 'E') << sql << ": " << frame.body;
    }
}

/// Asks until so many were told; false after ten seconds.
bool await(IsotapProcess& isotap, double count) {
    const auto deadline = Clock::now() + 10s;
    while (isotap.anomalies() < count) {
        if (Clock::now() > deadline) {
            return false;
        }
    }
    return true;
}

TEST(LiveVerdict, ComesWithinASecondThoughNothingFollows) {
    PostgresServer server(PostgresOptions{.version = 15});
    // Rows from before the tap: nobody knows who wrote them, and only time tells that nobody will.
    server.sql(
        "create table account (id int primary key, balance int not null); "
        "insert into account select i, 100 from generate_series(1, 100) i");
    IsotapProcess isotap(server.url(), {"--mode", "instrument", "--admin", "127.0.0.1:0",
                                        "--limits.plan-wait", "30s"});
    PostgresWire one(Endpoint{.port = isotap.port()});
    PostgresWire other(Endpoint{.port = isotap.port()});
    PostgresWire idle(Endpoint{.port = isotap.port()});
    one.start();
    other.start();
    idle.start();
    run(idle, "begin");  // somebody always is, and he shall make nobody wait
    run(idle, "select 1");
    std::vector<double> waits;
    for (int i = 1; i <= rounds; ++i) {
        const std::string row = " where id = " + std::to_string(i);
        for (PostgresWire* client : {&one, &other}) {
            run(*client, "begin");
            run(*client, "select balance from account" + row);
        }
        run(one, "update account set balance = 90" + row);
        run(one, "commit");
        run(other, "update account set balance = 80" + row);
        run(other, "commit");
        const auto committed = Clock::now();
        ASSERT_TRUE(await(isotap, i)) << "round " << i << " was never told";
        waits.push_back(Milliseconds(Clock::now() - committed).count());
    }
    std::sort(waits.begin(), waits.end());
    std::cout << "commit to verdict: p50 " << waits.at(waits.size() / 2) << " ms, most "
              << waits.back() << " ms\n";
    // The machine that runs this may stand still for a while: that is for two of them at most.
    EXPECT_LT(waits.at(waits.size() - 3), 1'000);
}

}  // namespace
}  // namespace isotap::test
