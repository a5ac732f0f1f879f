#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace isotap::test {

/// How a program that uses the C connector logs in.
struct ConnectorLogin {
    std::uint16_t port = 0;
    std::string user = "tap";
    std::string password{};
    bool compress = false;
    std::filesystem::path authority{};  ///< TLS, and who must have signed; none when empty
};

/// Does with MariaDB's C connector what programs do with it: text queries, several results,
/// prepared statements with parameters, long data, server-side cursors, a local file, a reset, a
/// change of user. What it learnt, line by line. Throws std::runtime_error on any failure.
std::vector<std::string> use_connector(const ConnectorLogin& login);

/// Logs in and asks who it is.
std::string who_am_i(const ConnectorLogin& login);

}  // namespace isotap::test
