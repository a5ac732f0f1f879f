#include <utility>

#include <fmt/format.h>

#include "proxy/catalog/mysql_schema_session.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;
using Row = MysqlSchemaSession::Row;

/// The name of the database stands as a literal in each part, and nothing is asked table by table:
/// else the server opens every table that it has, for every table.
constexpr const char* tables_query = R"(
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

class MariadbAuxiliaryColumns final : public AuxiliaryColumns {
  public:
    explicit MariadbAuxiliaryColumns(MysqlSchemaSession session) : session_(std::move(session)) {}

    std::vector<AuxiliaryState> tables() override {
        std::vector<AuxiliaryState> found = at_a_glance();
        session_.look_at_rows(found);
        return found;
    }

    std::vector<AuxiliaryState> at_a_glance() override {
        std::vector<AuxiliaryState> found;
        for (const Row& row : session_.ask(
                 fmt::format(fmt::runtime(tables_query), session_.literal(session_.database())))) {
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
        const std::string name = MysqlSchemaSession::spelled(table);
        // In two steps each of them is instant: a default that is an expression would copy the
        // table.
        session_.run(fmt::format(
            "alter table {} add column if not exists isotap_rowid char(36) character set ascii "
            "invisible null comment 'isotap', add column if not exists isotap_wlist varchar(600) "
            "character set ascii invisible not null default 'T0' comment 'isotap'{}",
            name, counter(table)));
        session_.run(
            fmt::format("alter table {} alter column isotap_rowid set default (uuid())", name));
        session_.name_rows(table, progress);
    }

    void drop(const AuxiliaryState& table) override {
        session_.run(
            fmt::format("alter table {} drop column if exists isotap_rowid, drop column if exists "
                        "isotap_wlist{}",
                        MysqlSchemaSession::spelled(table), counter(table)));
    }

  private:
    /// A table that is copied forgets the numbers that its counter gave to rows that are gone.
    std::string counter(const AuxiliaryState& table) {
        const auto found = session_.ask(fmt::format(
            "select auto_increment from information_schema.tables where auto_increment is not null "
            "and table_schema = {} and table_name = {}",
            session_.literal(table.schema), session_.literal(table.table)));
        return found.empty() ? std::string() : ", auto_increment = " + found.front().front();
    }

    MysqlSchemaSession session_;
};

}  // namespace

std::unique_ptr<AuxiliaryColumns> mariadb_auxiliary_columns(MysqlSchemaSession session) {
    return std::make_unique<MariadbAuxiliaryColumns>(std::move(session));
}

}  // namespace isotap::proxy
