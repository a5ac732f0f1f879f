#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/gate.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/wire/postgres_setting.hpp"

namespace isotap::test {

/// One server of the MySQL family, and in front of it proxies and gates, made when first asked for.
class MysqlSetting {
  public:
    explicit MysqlSetting(MysqlFlavour flavour, bool tls = false);

    [[nodiscard]] Endpoint direct() const { return {.port = server_.port()}; }
    [[nodiscard]] MysqlServer& server() noexcept { return server_; }

    /// Where the clients of a route connect.
    Endpoint front(const Route& route, std::vector<std::string> options = {});

    /// A counter of the proxy of a route, named as its metrics page does; 0 when it is not there.
    long counter(const Route& route, const std::string& name);

    /// How often that proxy has taken this note.
    long notes(const Route& route, const std::string& note) {
        return counter(route, "isotap_notes_total{note=\"" + note + "\"}");
    }

  private:
    struct Way {
        std::unique_ptr<Gate> near_server;
        std::unique_ptr<IsotapProcess> proxy;
        std::unique_ptr<Gate> near_client;
    };

    MysqlServer server_;
    std::map<std::string, Way> ways_;
};

}  // namespace isotap::test
