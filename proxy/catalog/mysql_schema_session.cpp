#include "proxy/catalog/mysql_schema_session.hpp"

#include <mysql.h>
#include <utility>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "protocol/sql/name.hpp"
#include "proxy/catalog/mysql_result.hpp"

namespace isotap::proxy {
namespace {

/// ALTER TABLE gives up, and may be started again. MySQL takes the least that it knows for zero.
constexpr const char* waits_for_seconds =
    "set session lock_wait_timeout = 5, innodb_lock_wait_timeout = 5";
constexpr const char* waits_for_nobody =
    "set session lock_wait_timeout = 0, innodb_lock_wait_timeout = 1";

/// Triggers are not made by everybody where changes are logged.
constexpr unsigned wants_super_for_triggers = 1419;

}  // namespace

MysqlSchemaSession::MysqlSchemaSession(const Upstream& upstream, TableWait wait)
    : database_(upstream.database) {
    MysqlLogin login = connect_to_mysql(upstream, upstream.database, MysqlPatience::for_ever);
    if (!login.connection) {
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("cannot connect ({}): check the URL", login.error));
    }
    connection_ = std::move(login.connection);
    run("set session sql_mode = ''");
    run(wait == TableWait::none ? waits_for_nobody : waits_for_seconds);
    // Without gap locks, rows that have their name already are not locked by looking at them.
    run("set session transaction isolation level read committed");
}

bool MysqlSchemaSession::is_mariadb() const {
    return mariadb_connection(connection_.get()) != 0;
}

unsigned long MysqlSchemaSession::version() const {
    return mysql_get_server_version(connection_.get());
}

std::string MysqlSchemaSession::spelled(const AuxiliaryState& table) {
    return sql::quoted(table.schema, sql::Dialect::mysql) + "." +
           sql::quoted(table.table, sql::Dialect::mysql);
}

/// Columns that follow the clock keep their values only when they are assigned.
std::string MysqlSchemaSession::unchanged_times(const AuxiliaryState& table) {
    std::string list;
    for (const Row& row :
         ask(fmt::format("select column_name from information_schema.columns where extra like "
                         "'%on update%' and table_schema = {} and table_name = {}",
                         literal(table.schema), literal(table.table)))) {
        const std::string column = sql::quoted(row.at(0), sql::Dialect::mysql);
        list.append(", ").append(column).append(" = ").append(column);
    }
    return list;
}

std::string MysqlSchemaSession::literal(const std::string& text) const {
    std::string escaped(2 * text.size() + 1, '\0');
    escaped.resize(
        mysql_real_escape_string(connection_.get(), escaped.data(), text.data(), text.size()));
    return "'" + escaped + "'";
}

bool MysqlSchemaSession::all_named(const AuxiliaryState& table) {
    return ask(fmt::format("select 1 from {} where isotap_rowid is null limit 1", spelled(table)))
        .empty();
}

void MysqlSchemaSession::name_rows(const AuxiliaryState& table,
                                   const AuxiliaryColumns::Progress& progress) {
    const std::string naming =
        fmt::format("update {} set isotap_rowid = uuid(){} where isotap_rowid is null limit {}",
                    spelled(table), unchanged_times(table), rows_per_batch);
    std::uint64_t rows = 0;
    while (const std::uint64_t more = run(naming)) {
        progress(rows += more);
    }
}

std::uint64_t MysqlSchemaSession::run(const std::string& text) {
    if (mysql_real_query(connection_.get(), text.data(), text.size()) != 0) {
        if (mysql_errno(connection_.get()) == wants_super_for_triggers) {
            throw StartupError(StartupError::Kind::failure,
                               "the server logs changes and lets this user make no triggers: set "
                               "log_bin_trust_function_creators = 1, or use an account with SUPER");
        }
        throw StartupError(StartupError::Kind::failure,
                           fmt::format("the server refused ({}): put that right and start "
                                       "again",
                                       mysql_error(connection_.get())));
    }
    return mysql_affected_rows(connection_.get());
}

std::vector<MysqlSchemaSession::Row> MysqlSchemaSession::ask(const std::string& text) {
    run(text);
    const MysqlResult result(mysql_store_result(connection_.get()));
    std::vector<Row> rows;
    while (const MYSQL_ROW row = mysql_fetch_row(result.get())) {
        Row& made = rows.emplace_back();
        for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i) {
            made.emplace_back(row[i] == nullptr ? "" : row[i]);
        }
    }
    return rows;
}

}  // namespace isotap::proxy
