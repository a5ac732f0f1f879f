#include <mysql.h>
#include <utility>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "protocol/sql/name.hpp"
#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/catalog/mysql_login.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;

/// Nobody waits long behind us: ALTER TABLE gives up, and may be started again. Without gap locks,
/// rows that have their name already are not locked by looking at them.
constexpr const char* settings[] = {
    "set session lock_wait_timeout = 5, innodb_lock_wait_timeout = 5, sql_mode = ''",
    "set session transaction isolation level read committed",
};

/// The name of the database stands as a literal in each part, and nothing is asked table by table:
/// else the server opens every table that it has, for every table.
constexpr std::string_view tables_query = R"(
select t.table_schema, t.table_name, case
        when t.table_type = 'VIEW' then 'it is a view: its tables have them'
        when t.table_type <> 'BASE TABLE' then 'it keeps or makes rows in its own way'
        when t.engine <> 'InnoDB' then 'its engine knows no transactions'
        when g.named is not null then 'a trigger would fire for every row that is named'
        when c.others > 0 then 'it has columns of these names already'
        else '' end,
    ifnull(c.complete, 0), ifnull(c.ours, 0)
from information_schema.tables t
left join (select table_name as named, sum(column_comment <> 'isotap') as others,
                  sum(column_comment = 'isotap') as ours,
                  sum(column_comment = 'isotap' and column_default is not null) as complete
           from information_schema.columns
           where table_schema = {0} and column_name in ('isotap_rowid', 'isotap_wlist')
           group by table_name) c on c.named = t.table_name
left join (select distinct event_object_table as named from information_schema.triggers
           where event_object_schema = {0} and event_manipulation = 'UPDATE') g
    on g.named = t.table_name
where t.table_schema = {0} order by 1, 2
)";

using Row = std::vector<std::string>;

class MariadbAuxiliaryColumns final : public AuxiliaryColumns {
  public:
    explicit MariadbAuxiliaryColumns(const Upstream& upstream) : database_(upstream.database) {
        MysqlLogin login = connect_to_mysql(upstream, upstream.database, MysqlPatience::for_ever);
        if (!login.connection) {
            throw StartupError(StartupError::Kind::failure,
                               fmt::format("cannot connect ({}): check the URL", login.error));
        }
        connection_ = std::move(login.connection);
        if (mariadb_connection(connection_.get()) == 0) {
            throw StartupError(StartupError::Kind::failure,
                               "auxiliary columns are not made on Oracle's MySQL yet: use MariaDB");
        }
        for (const char* setting : settings) {
            run(setting);
        }
    }

    std::vector<AuxiliaryState> tables() override {
        std::vector<AuxiliaryState> found = at_a_glance();
        for (AuxiliaryState& table : found) {
            if (table.stage == Stage::ready && !all_named(table)) {
                table.stage = Stage::begun;
            }
        }
        return found;
    }

    std::vector<AuxiliaryState> at_a_glance() override {
        std::vector<AuxiliaryState> found;
        for (const Row& row : ask(fmt::format(tables_query, literal(database_)))) {
            AuxiliaryState& table = found.emplace_back();
            table.schema = row.at(0);
            table.table = row.at(1);
            table.why = row.at(2);
            if (!table.why.empty()) {
                table.stage = Stage::refused;
            } else if (row.at(3) == "2") {
                table.stage = Stage::ready;
            } else if (row.at(4) != "0") {
                table.stage = Stage::begun;
            }
        }
        return found;
    }

    void add(const AuxiliaryState& table, const Progress& progress) override {
        const std::string name = spelled(table);
        // In two steps each of them is instant: a default that is an expression would copy the
        // table.
        run(fmt::format(
            "alter table {} add column if not exists isotap_rowid char(36) character set ascii "
            "invisible null comment 'isotap', add column if not exists isotap_wlist varchar(600) "
            "character set ascii invisible not null default 'T0' comment 'isotap'{}",
            name, counter(table)));
        run(fmt::format("alter table {} alter column isotap_rowid set default (uuid())", name));
        const std::string naming =
            fmt::format("update {} set isotap_rowid = uuid(){} where isotap_rowid is null limit {}",
                        name, unchanged_times(table), rows_per_batch);
        std::uint64_t rows = 0;
        while (const std::uint64_t more = run(naming)) {
            progress(rows += more);
        }
    }

    void drop(const AuxiliaryState& table) override {
        run(
            fmt::format("alter table {} drop column if exists isotap_rowid, drop column if exists "
                        "isotap_wlist{}",
                        spelled(table), counter(table)));
    }

  private:
    std::vector<Row> ask_for_tables() { return ask(fmt::format(tables_query, literal(database_))); }

    static std::string spelled(const AuxiliaryState& table) {
        return sql::quoted(table.schema, sql::Dialect::mysql) + "." +
               sql::quoted(table.table, sql::Dialect::mysql);
    }

    /// Columns that follow the clock keep their values only when they are assigned.
    std::string unchanged_times(const AuxiliaryState& table) {
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

    /// A table that is copied forgets the numbers that its counter gave to rows that are gone.
    std::string counter(const AuxiliaryState& table) {
        const auto found = ask(fmt::format(
            "select auto_increment from information_schema.tables where auto_increment is not null "
            "and table_schema = {} and table_name = {}",
            literal(table.schema), literal(table.table)));
        return found.empty() ? std::string() : ", auto_increment = " + found.front().front();
    }

    std::string literal(const std::string& text) {
        std::string escaped(2 * text.size() + 1, '\0');
        escaped.resize(
            mysql_real_escape_string(connection_.get(), escaped.data(), text.data(), text.size()));
        return "'" + escaped + "'";
    }

    bool all_named(const AuxiliaryState& table) {
        return ask(fmt::format("select 1 from {} where isotap_rowid is null limit 1",
                               spelled(table)))
            .empty();
    }

    std::uint64_t run(const std::string& text) {
        if (mysql_real_query(connection_.get(), text.data(), text.size()) != 0) {
            throw StartupError(StartupError::Kind::failure,
                               fmt::format("the server refused ({}): put that right and start "
                                           "again",
                                           mysql_error(connection_.get())));
        }
        return mysql_affected_rows(connection_.get());
    }

    std::vector<Row> ask(const std::string& text) {
        run(text);
        const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> result(
            mysql_store_result(connection_.get()), mysql_free_result);
        std::vector<Row> rows;
        while (const MYSQL_ROW row = mysql_fetch_row(result.get())) {
            Row& made = rows.emplace_back();
            for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i) {
                made.emplace_back(row[i] == nullptr ? "" : row[i]);
            }
        }
        return rows;
    }

    std::string database_;
    MysqlConnection connection_;
};

}  // namespace

std::unique_ptr<AuxiliaryColumns> mysql_auxiliary_columns(const Upstream& upstream) {
    return std::make_unique<MariadbAuxiliaryColumns>(upstream);
}

}  // namespace isotap::proxy
