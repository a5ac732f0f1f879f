#include "proxy/catalog/servers_own.hpp"

#include "protocol/sql/letter_case.hpp"

namespace isotap::proxy {

bool is_servers_own(std::string_view database) noexcept {
    return sql::same_word(database, "information_schema") ||
           sql::same_word(database, "performance_schema") || database == "mysql" ||
           database == "sys";
}

}  // namespace isotap::proxy
