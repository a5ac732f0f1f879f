#pragma once

#include <string>

#include "isotap/proxy/options.hpp"

struct pg_conn;

namespace isotap::proxy {

/// Logs in with user and password of the URL. Blocks for a few seconds at most; the caller asks
/// libpq whether it went well, and finishes the connection.
pg_conn* connect_to_postgres(const Upstream& upstream, const std::string& database);

}  // namespace isotap::proxy
