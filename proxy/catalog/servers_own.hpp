#pragma once

#include <string_view>

namespace isotap::proxy {

/// A database of the MySQL family that the server keeps for itself: no application's rows.
bool is_servers_own(std::string_view database) noexcept;

}  // namespace isotap::proxy
