#include "proxy/catalog/mysql_schema_session.hpp"

#include <algorithm>
#include <array>
#include <mysql.h>
#include <mysqld_error.h>
#include <utility>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "protocol/sql/name.hpp"
#include "proxy/catalog/mysql_result.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;

/// ALTER TABLE gives up, and may be started again. MySQL takes the least that it knows for zero.
constexpr const char* waits_for_seconds =
    "set session lock_wait_timeout = 5, innodb_lock_wait_timeout = 5";
constexpr const char* waits_for_nobody =
    "set session lock_wait_timeout = 0, innodb_lock_wait_timeout = 1";

/// What the server would say of any table: of the account, of its own state, or of a full disk.
constexpr std::array<unsigned, 15> meets_every_table{ER_OUTOFMEMORY,
                                                     ER_DISK_FULL,
                                                     ER_RECORD_FILE_FULL,
                                                     ER_OUT_OF_RESOURCES,
                                                     ER_DBACCESS_DENIED_ERROR,
                                                     ER_ACCESS_DENIED_ERROR,
                                                     ER_UNKNOWN_COM_ERROR,  // Galera, not in sync
                                                     ER_BAD_DB_ERROR,
                                                     ER_SERVER_SHUTDOWN,
                                                     ER_USER_LIMIT_REACHED,
                                                     ER_SPECIFIC_ACCESS_DENIED_ERROR,
                                                     ER_OPTION_PREVENTS_STATEMENT,  // read_only
                                                     ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION,
                                                     ER_MUST_CHANGE_PASSWORD,
                                                     ER_READ_ONLY_MODE};

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

void MysqlSchemaSession::look_at_rows(std::vector<AuxiliaryState>& tables) {
    for (AuxiliaryState& table : tables) {
        if (table.stage != Stage::ready) {
            continue;
        }
        try {
            table.stage = all_named(table) ? Stage::ready : Stage::begun;
        } catch (const TableRefused& refusal) {
            table.stage = Stage::unread;
            table.why = refusal.words();
        }
    }
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
        fail();
    }
    return mysql_affected_rows(connection_.get());
}

void MysqlSchemaSession::fail() {
    const unsigned error = mysql_errno(connection_.get());
    const TableRefused refused(mysql_error(connection_.get()));
    if (error == ER_BINLOG_CREATE_ROUTINE_NEED_SUPER) {
        throw StartupError(StartupError::Kind::failure,
                           "the server logs changes and lets this user make no triggers: set "
                           "log_bin_trust_function_creators = 1, or use an account with SUPER");
    }
    if (!concerns_one_table(error)) {
        throw StartupError(StartupError::Kind::failure, refused.what());
    }
    throw refused;
}

/// Whatever is not known to meet all tables is held against one: another may have better luck.
bool MysqlSchemaSession::concerns_one_table(unsigned error) {
    if (std::find(meets_every_table.begin(), meets_every_table.end(), error) !=
            meets_every_table.end() ||
        mysql_ping(connection_.get()) != 0) {
        return false;
    }
    const bool denied =
        error == ER_TABLEACCESS_DENIED_ERROR || error == ER_COLUMNACCESS_DENIED_ERROR;
    return !denied || has_rights_on_single_tables();
}

/// Rights add up: who is denied one table has no right on the whole database, and may change
/// others only where single tables are named. Where that cannot be learned each table is tried.
bool MysqlSchemaSession::has_rights_on_single_tables() try {
    const std::string granted = " ON " + sql::quoted(database_, sql::Dialect::mysql) + ".`";
    const std::vector<Row> grants = ask("show grants");
    return std::any_of(grants.begin(), grants.end(), [&](const Row& grant) {
        return grant.at(0).find(granted) != std::string::npos;
    });
} catch (const StartupError&) {
    return true;
}

std::vector<MysqlSchemaSession::Row> MysqlSchemaSession::ask(const std::string& text) {
    run(text);
    const MysqlResult result(mysql_store_result(connection_.get()));
    if (!result) {
        fail();  // an error behind the first rows: they are not all
    }
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
