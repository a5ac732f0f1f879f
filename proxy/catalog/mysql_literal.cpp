#include "proxy/catalog/mysql_literal.hpp"

#include <fmt/format.h>

namespace isotap::proxy {

std::string mysql_literal(std::string_view text) {
    std::string hex;
    for (const char c : text) {
        hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    return "_utf8mb4 x'" + hex + "'";
}

}  // namespace isotap::proxy
