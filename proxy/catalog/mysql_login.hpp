#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "isotap/proxy/options.hpp"

struct st_mysql;

namespace isotap::proxy {

struct FreeMysql {
    void operator()(st_mysql* connection) const noexcept;
};
using MysqlConnection = std::unique_ptr<st_mysql, FreeMysql>;

/// What came of a login.
struct MysqlLogin {
    MysqlConnection connection;  ///< null when it failed
    std::string error;           ///< the server's or the client library's words, then
};

/// How long an answer may keep the caller waiting.
enum class MysqlPatience : std::uint8_t {
    seconds,   ///< for questions
    for_ever,  ///< for work that takes its time
};

/// Logs in with user, password and sslmode of the URL, in utf8mb4; without a default database where
/// `database` is empty. Blocks for a few seconds at most. sslmode verify-ca checks the server's
/// name as well: the client library knows no other way.
MysqlLogin connect_to_mysql(const Upstream& upstream, const std::string& database,
                            MysqlPatience patience);

}  // namespace isotap::proxy
