#include "proxy/catalog/auxiliary_columns.hpp"

namespace isotap::proxy {

std::unique_ptr<AuxiliaryColumns> auxiliary_columns(const Upstream& upstream, TableWait wait) {
    return upstream.dialect == history::Dialect::mysql ? mysql_auxiliary_columns(upstream, wait)
                                                       : postgres_auxiliary_columns(upstream);
}

}  // namespace isotap::proxy
