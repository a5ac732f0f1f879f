#include "tests/wire/postgres_setting.hpp"

#include <chrono>
#include <utility>

namespace isotap::test {
namespace {

using std::chrono::milliseconds;

GatePlan both_ways(const LanePlan& lane) {
    return {.to_server = lane, .to_client = lane};
}

const LanePlan plain{};
const LanePlan bytewise{.slice = 1};
const LanePlan merging{.hold = milliseconds(1)};
const LanePlan slow{.slice = 7, .sliced_bytes = 128, .hold = std::chrono::microseconds(300)};

Route route(const std::string& name, const std::string& mode, const LanePlan& client,
            const LanePlan& server) {
    return {name, mode, both_ways(client), both_ways(server)};
}

std::string url_to(std::uint16_t port) {
    return "postgres://postgres@127.0.0.1:" + std::to_string(port) + "/postgres";
}

}  // namespace

std::vector<Route> main_routes() {
    return {route("relay", "relay", plain, plain), route("observe", "observe", plain, plain),
            route("observe_bytewise", "observe", bytewise, bytewise),
            route("instrument", "instrument", plain, plain)};
}

std::vector<Route> every_route() {
    std::vector<Route> all = main_routes();
    all.push_back(route("relay_bytewise", "relay", bytewise, bytewise));
    all.push_back(route("relay_merging", "relay", merging, merging));
    all.push_back(route("observe_client_merging", "observe", merging, plain));
    all.push_back(route("observe_server_merging", "observe", plain, merging));
    all.push_back(route("observe_client_slow", "observe", slow, plain));
    all.push_back(route("observe_server_slow", "observe", plain, slow));
    all.push_back(route("instrument_bytewise", "instrument", bytewise, bytewise));
    all.push_back(route("no_proxy", "", slow, plain));
    return all;
}

std::vector<Route> tls_routes() {
    std::vector<Route> all{route("observe_tls", "observe", plain, plain),
                           route("relay_tls_slow", "relay", slow, slow)};
    for (Route& one : all) {
        one.tls = true;
    }
    return all;
}

PostgresSetting::PostgresSetting(int version, bool tls)
    : server_({.version = version, .tls = tls}), tls_(tls) {}

std::vector<std::string> PostgresSetting::options(const Route& route) const {
    std::vector<std::string> list{"--mode", route.mode, "--admin", "127.0.0.1:0"};
    if (tls_) {
        const Certificate& shown = server_.certificate();
        list.insert(list.end(), {"--tls", "mirror", "--tls-certificate", shown.certificate,
                                 "--tls-key", shown.key});
    }
    return list;
}

Endpoint PostgresSetting::front(const Route& route) {
    const auto known = ways_.find(route.name);
    if (known != ways_.end()) return known->second.front;
    Way way;
    way.front = server();
    if (route.near_server != GatePlan{}) {
        way.near_server = std::make_unique<Gate>(way.front, route.near_server);
        way.front.port = way.near_server->port();
    }
    if (!route.mode.empty()) {
        way.proxy = std::make_unique<IsotapProcess>(url_to(way.front.port), options(route));
        way.front.port = way.proxy->port();
    }
    if (route.near_client != GatePlan{}) {
        way.near_client = std::make_unique<Gate>(way.front, route.near_client);
        way.front.port = way.near_client->port();
    }
    return ways_.emplace(route.name, std::move(way)).first->second.front;
}

double PostgresSetting::sessions_gone_blind(const Route& route) {
    const auto way = ways_.find(route.name);
    if (way == ways_.end() || !way->second.proxy) return 0;
    const auto metrics = way->second.proxy->metrics();
    double blind = 0;
    for (const char* note : {"unknown_message", "desynchronised", "pipeline_too_deep", "fuse"}) {
        blind += metrics.at("isotap_notes_total{note=\"" + std::string(note) + "\"}");
    }
    return blind;
}

bool PostgresSetting::await_no_session(const Route& route) {
    const auto way = ways_.find(route.name);
    if (way == ways_.end() || !way->second.proxy) return true;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (way->second.proxy->metrics().at("isotap_sessions_open") > 0) {
        if (std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
}

}  // namespace isotap::test
