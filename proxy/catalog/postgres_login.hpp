#pragma once

#include <string>

#include "isotap/proxy/options.hpp"

struct pg_conn;

namespace isotap::proxy {

/// How libpq names the place of a server.
struct PostgresPlace {
    std::string host;
    std::string port;
};
PostgresPlace postgres_place(const Address& address);

/// How libpq spells what a URL wants of TLS.
const char* postgres_sslmode(const Upstream& upstream) noexcept;

/// Logs in with user and password of the URL. Blocks for a few seconds at most; the caller asks
/// libpq whether it went well, and finishes the connection.
pg_conn* connect_to_postgres(const Upstream& upstream, const std::string& database);

}  // namespace isotap::proxy
