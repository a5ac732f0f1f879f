#pragma once

#include <memory>
#include <mysql.h>

namespace isotap::proxy {

struct FreeMysqlResult {
    void operator()(MYSQL_RES* result) const noexcept { mysql_free_result(result); }
};
/// Rows or columns that the client library has read whole.
using MysqlResult = std::unique_ptr<MYSQL_RES, FreeMysqlResult>;

}  // namespace isotap::proxy
