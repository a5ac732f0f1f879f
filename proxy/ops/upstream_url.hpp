#pragma once

#include <string_view>

#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

/// Reads the URL of a database server:
///
///     postgres://user:password@host:port/database?sslmode=verify-full&sslrootcert=/file
///
/// The scheme is postgres, postgresql, mysql or mariadb. Every part but the scheme may be left out.
/// A unix socket is `?host=/path` or a percent-encoded host: for PostgreSQL the folder of the
/// socket or the socket itself, for MySQL the socket.
///
/// Throws StartupError (usage). Its message never repeats what may be a password.
Upstream parse_upstream_url(std::string_view url);

}  // namespace isotap::proxy
