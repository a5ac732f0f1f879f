#include "tests/wire/mysql_setting.hpp"

#include <array>
#include <utility>

#include "tests/support/stream.hpp"

namespace isotap::test {
namespace {

/// What the admin page answers to a GET of this path.
std::string get(const std::string& admin_url, const std::string& path) {
    const std::size_t colon = admin_url.rfind(':');
    const auto port = static_cast<std::uint16_t>(std::stoul(admin_url.substr(colon + 1)));
    Stream stream({.port = port});
    stream.send("GET " + path + " HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    std::string answer;
    std::array<std::uint8_t, 4096> buffer{};
    while (const std::size_t got = stream.receive(buffer)) {
        answer += as_text(Bytes(buffer).first(got));
    }
    return answer;
}

}  // namespace

MysqlSetting::MysqlSetting(MysqlFlavour flavour, bool tls)
    : server_({.flavour = flavour, .tls = tls}) {}

Endpoint MysqlSetting::front(const Route& route, std::vector<std::string> options) {
    Way& way = ways_[route.name];
    if (!way.near_server) {
        way.near_server = std::make_unique<Gate>(direct(), route.near_server);
        std::uint16_t next = way.near_server->port();
        if (!route.mode.empty()) {
            options.insert(options.end(), {"--mode", route.mode, "--admin", "127.0.0.1:0"});
            if (route.mode == "instrument") {
                // Tables that a conversation makes have the columns and triggers before it goes on.
                options.insert(options.end(), {"--schema", "auto", "--limits.plan-wait", "30s"});
            }
            way.proxy = std::make_unique<IsotapProcess>(
                "mysql://tap@127.0.0.1:" + std::to_string(next) + "/shop", std::move(options));
            next = way.proxy->port();
        }
        way.near_client = std::make_unique<Gate>(Endpoint{.port = next}, route.near_client);
    }
    return {.port = way.near_client->port()};
}

long MysqlSetting::counter(const Route& route, const std::string& name) {
    const std::string page = get(ways_.at(route.name).proxy->admin_url(), "/metrics");
    const std::string line = "\n" + name + " ";
    const std::size_t at = page.find(line);
    return at == std::string::npos ? 0 : std::stol(page.substr(at + line.size()));
}

}  // namespace isotap::test
