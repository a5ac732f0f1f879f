#include "proxy/catalog/mysql_side.hpp"
#include "proxy/catalog/postgres_side.hpp"
#include "proxy/catalog/side_connection.hpp"

namespace isotap::proxy {

Asked<std::unique_ptr<SideConnection>> connect_side(const Upstream& upstream,
                                                    const std::string& database) {
    return upstream.dialect == history::Dialect::mysql ? MysqlSide::connect(upstream)
                                                       : PostgresSide::connect(upstream, database);
}

}  // namespace isotap::proxy
