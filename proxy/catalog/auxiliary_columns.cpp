#include "proxy/catalog/auxiliary_columns.hpp"

#include <fmt/format.h>

namespace isotap::proxy {

TableRefused::TableRefused(const std::string& words)
    : StartupError(Kind::failure,
                   fmt::format("the server refused ({}): put that right and start again", words)),
      words_(words) {}

std::unique_ptr<AuxiliaryColumns> auxiliary_columns(const Upstream& upstream, TableWait wait) {
    return upstream.dialect == history::Dialect::mysql ? mysql_auxiliary_columns(upstream, wait)
                                                       : postgres_auxiliary_columns(upstream);
}

}  // namespace isotap::proxy
