#pragma once

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "tests/support/gate.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"

namespace isotap::test {

/// One way from a script's client to the server.
struct Route {
    std::string name;
    std::string mode{};      ///< of the proxy; empty: no proxy at all, which tests the harness
    GatePlan near_client{};  ///< what happens between client and proxy
    GatePlan near_server{};  ///< what happens between proxy and server
    bool tls = false;        ///< client and server speak TLS, each with the proxy
};

inline void PrintTo(const Route& route, std::ostream* out) {
    *out << route.name;
}

/// The ways through the proxy that every script takes.
std::vector<Route> main_routes();

/// Those, and the ones with a gate on one leg or the other.
std::vector<Route> every_route();

/// The ways inside of TLS.
std::vector<Route> tls_routes();

/// One server of a version, and in front of it proxies and gates, made when first asked for.
class PostgresSetting {
  public:
    /// `tls`: the server has it, and the proxies mirror it.
    PostgresSetting(int version, bool tls);

    [[nodiscard]] Endpoint server() const { return {.port = server_.port()}; }
    [[nodiscard]] PostgresServer& postgres() noexcept { return server_; }

    /// Where the clients of a route connect.
    Endpoint front(const Route& route);

    /// How many sessions of that way the proxy has stopped decoding, because it did not understand
    /// what passed. A blind session is transparent too: comparing messages does not show it.
    double sessions_gone_blind(const Route& route);
    /// Until the proxy of a route has nothing more to count. False when that takes too long.
    bool await_no_session(const Route& route);

  private:
    struct Way {
        Endpoint front;
        std::unique_ptr<Gate> near_server;
        std::unique_ptr<IsotapProcess> proxy;
        std::unique_ptr<Gate> near_client;
    };

    /// How a proxy of that route is started.
    [[nodiscard]] std::vector<std::string> options(const Route& route) const;

    PostgresServer server_;
    bool tls_;
    std::map<std::string, Way> ways_;
};

}  // namespace isotap::test
