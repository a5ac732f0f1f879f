#include "tests/wire/mysql_setting.hpp"

#include <utility>

namespace isotap::test {

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
    const std::string page = ways_.at(route.name).proxy->get("/metrics");
    const std::string line = "\n" + name + " ";
    const std::size_t at = page.find(line);
    return at == std::string::npos ? 0 : std::stol(page.substr(at + line.size()));
}

}  // namespace isotap::test
