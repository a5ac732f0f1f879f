#include "tests/wire/postgres_setting.hpp"

#include <chrono>
#include <utility>

namespace isotap::test {
namespace {

using std::chrono::milliseconds;

GatePlan both_ways(const LanePlan& lane) {
    return {.to_server = lane, .to_client = lane};
}

const LanePlan bytewise{.slice = 1};
const LanePlan merging{.hold = milliseconds(2)};
const LanePlan slow{.slice = 7, .sliced_bytes = 256, .hold = std::chrono::microseconds(500)};

std::string url_to(std::uint16_t port) {
    return "postgres://postgres@127.0.0.1:" + std::to_string(port) + "/postgres";
}

}  // namespace

std::vector<Route> main_routes() {
    return {{.name = "relay", .mode = "relay"},
            {.name = "observe", .mode = "observe"},
            {.name = "observe_bytewise",
             .mode = "observe",
             .near_client = both_ways(bytewise),
             .near_server = both_ways(bytewise)}};
}

std::vector<Route> every_route() {
    std::vector<Route> all = main_routes();
    const std::vector<std::pair<std::string, LanePlan>> faults{
        {"bytewise", bytewise}, {"merging", merging}, {"slow", slow}};
    for (const std::string mode : {"relay", "observe"}) {
        for (const auto& [fault, lane] : faults) {
            all.push_back(
                {.name = mode + "_client_" + fault, .mode = mode, .near_client = both_ways(lane)});
            all.push_back(
                {.name = mode + "_server_" + fault, .mode = mode, .near_server = both_ways(lane)});
        }
    }
    all.push_back({.name = "no_proxy", .near_client = both_ways(slow)});
    return all;
}

PostgresSetting::PostgresSetting(int version) : server_({.version = version}) {}

Endpoint PostgresSetting::front(const Route& route) {
    Way& way = ways_[route.name];
    if (!way.near_server) {
        way.near_server = std::make_unique<Gate>(server(), route.near_server);
        std::uint16_t next = way.near_server->port();
        if (!route.mode.empty()) {
            way.proxy = std::make_unique<IsotapProcess>(
                url_to(next), std::vector<std::string>{"--mode", route.mode});
            next = way.proxy->port();
        }
        way.near_client = std::make_unique<Gate>(Endpoint{.port = next}, route.near_client);
    }
    return {.port = way.near_client->port()};
}

}  // namespace isotap::test
