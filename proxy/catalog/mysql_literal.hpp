#pragma once

#include <string>
#include <string_view>

namespace isotap::proxy {

/// A literal for MySQL that is the same under every sql_mode and character set of the connection.
std::string mysql_literal(std::string_view text);

}  // namespace isotap::proxy
