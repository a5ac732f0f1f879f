#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "isotap/proxy/startup_error.hpp"

#include "protocol/sql/name.hpp"
#include "proxy/catalog/mysql_schema_session.hpp"
#include "proxy/catalog/mysql_triggers.hpp"

/// Oracle's MySQL: two invisible columns, and triggers that tell of the writes.
namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;
using Row = MysqlSchemaSession::Row;

constexpr const char* tables_query = R"(
select table_schema, table_name, table_type, ifnull(engine, '')
from information_schema.tables where table_schema = {0} order by 1, 2
)";
constexpr const char* columns_query = R"(
select table_name, column_name, data_type, column_comment = 'isotap', generation_expression <> ''
from information_schema.columns where table_schema = {0} order by table_name, ordinal_position
)";
constexpr const char* triggers_query = R"(
select event_object_table, trigger_name, action_timing, event_manipulation, action_statement
from information_schema.triggers where event_object_schema = {0}
order by event_object_table, event_manipulation, action_timing, action_order
)";

/// One table as it is.
struct Found {
    std::vector<MysqlColumn> columns;  ///< the client's, without generated ones
    std::vector<MysqlTrigger> triggers;
    std::vector<std::string> ours;  ///< columns
    bool taken = false;             ///< a name of ours is a column of somebody else's

    [[nodiscard]] bool has_trigger_on_update() const {
        return std::any_of(triggers.begin(), triggers.end(), [](const MysqlTrigger& one) {
            return !is_ours(one) && one.event == "UPDATE";
        });
    }
    [[nodiscard]] bool has_trigger_of_ours() const {
        return std::any_of(triggers.begin(), triggers.end(), is_ours);
    }
    [[nodiscard]] bool has(const std::string& column) const {
        return std::find(ours.begin(), ours.end(), column) != ours.end();
    }
};

std::string identity_of(const AuxiliaryState& table) {
    return table.schema + "." + table.table;
}

std::string_view refusal_of(const Row& table, const Found& found) {
    if (table.at(2) == "VIEW") {
        return "it is a view: its tables have them";
    }
    if (table.at(2) != "BASE TABLE") {
        return "it keeps or makes rows in its own way";
    }
    if (table.at(3) != "InnoDB") {
        return "its engine knows no transactions";
    }
    if (found.taken) {
        return "it has columns of these names already";
    }
    return found.ours.empty() && found.has_trigger_on_update()
               ? "a trigger would fire for every row that is named"
               : std::string_view{};
}

class TriggeredAuxiliaryColumns final : public AuxiliaryColumns {
  public:
    explicit TriggeredAuxiliaryColumns(MysqlSchemaSession session) : session_(std::move(session)) {
        constexpr unsigned long knows_invisible_columns = 80023;
        if (session_.version() < knows_invisible_columns) {
            throw StartupError(StartupError::Kind::failure,
                               "the server knows no invisible columns: use MySQL 8.0.23 or "
                               "later, or MariaDB");
        }
        for (const Row& row : session_.ask("show global variables like 'binlog_format'")) {
            if (row.at(1) == "STATEMENT") {
                throw StartupError(StartupError::Kind::failure,
                                   "the server logs statements, and clients would be warned of "
                                   "the names of new rows: set binlog_format = ROW");
            }
        }
    }

    std::vector<AuxiliaryState> tables() override {
        std::vector<AuxiliaryState> all = at_a_glance();
        session_.look_at_rows(all);
        return all;
    }

    std::vector<AuxiliaryState> at_a_glance() override {
        const std::map<std::string, Found> known = look();
        std::vector<AuxiliaryState> all;
        for (const Row& row : ask(tables_query)) {
            AuxiliaryState& table = all.emplace_back();
            table.schema = row.at(0);
            table.table = row.at(1);
            const auto there = known.find(table.table);
            const Found found = there == known.end() ? Found{} : there->second;
            table.why = refusal_of(row, found);
            if (!table.why.empty()) {
                table.stage = Stage::refused;
            } else if (found.ours.size() == 2 &&
                       are_in_force(found.triggers,
                                    wanted_triggers(identity_of(table), found.columns))) {
                table.stage = Stage::ready;
            } else if (!found.ours.empty() || found.has_trigger_of_ours()) {
                table.stage = Stage::begun;
            }
        }
        return all;
    }

    void add(const AuxiliaryState& table, const Progress& progress) override {
        const Found found = look()[table.table];
        add_columns(table, found);
        const auto wanted = wanted_triggers(identity_of(table), found.columns);
        if (!are_in_force(found.triggers, wanted)) {
            drop_triggers(table, found);
            prove_rights(table);
            make_triggers(table, wanted);
        }
        session_.name_rows(table, progress);
    }

    void drop(const AuxiliaryState& table) override {
        const Found found = look()[table.table];
        drop_triggers(table, found);
        std::string changes;
        for (const std::string& column : found.ours) {
            changes += (changes.empty() ? "drop column " : ", drop column ") + column;
        }
        if (!changes.empty()) {
            session_.run("alter table " + MysqlSchemaSession::spelled(table) + " " + changes);
        }
    }

  private:
    std::vector<Row> ask(const char* question) {
        return session_.ask(
            fmt::format(fmt::runtime(question), session_.literal(session_.database())));
    }

    std::map<std::string, Found> look() {
        std::map<std::string, Found> all;
        for (const Row& row : ask(columns_query)) {
            Found& found = all[row.at(0)];
            const bool named = row.at(1) == "isotap_rowid" || row.at(1) == "isotap_wlist";
            if (named && row.at(3) == "1") {
                found.ours.push_back(row.at(1));
            } else if (named) {
                found.taken = true;
            } else if (row.at(4) != "1") {
                found.columns.push_back({row.at(1), row.at(2)});
            }
        }
        for (const Row& row : ask(triggers_query)) {
            all[row.at(0)].triggers.push_back({row.at(1), row.at(2), row.at(3), row.at(4)});
        }
        return all;
    }

    void add_columns(const AuxiliaryState& table, const Found& found) {
        std::string changes;
        const auto add = [&](const std::string& column, std::string_view type) {
            if (!found.has(column)) {
                changes += fmt::format("{}add column {} {} comment 'isotap'",
                                       changes.empty() ? "" : ", ", column, type);
            }
        };
        // No default: a trigger names new rows.
        add("isotap_rowid", "char(36) character set ascii invisible null");
        add("isotap_wlist", "varchar(600) character set ascii invisible not null default 'T0'");
        if (!changes.empty()) {
            session_.run("alter table " + MysqlSchemaSession::spelled(table) + " " + changes);
        }
    }

    /// Triggers write with the rights of who made them: where those do not reach, writes of clients
    /// would fail. Old triggers must be gone, which may name columns that are no more.
    void prove_rights(const AuxiliaryState& table) {
        const std::string name = MysqlSchemaSession::spelled(table);
        session_.ask("select * from " + name + " where false");
        session_.run("update " + name +
                     " set isotap_rowid = isotap_rowid, isotap_wlist = isotap_wlist where false");
    }

    /// Names of triggers are those of a whole database, and stay when a table is renamed.
    void make_triggers(const AuxiliaryState& table, const std::vector<MysqlTrigger>& wanted) {
        const std::string number = session_.ask("select uuid_short()").at(0).at(0);
        for (const MysqlTrigger& one : wanted) {
            session_.run(fmt::format("create trigger {}_{} {} {} on {} for each row {}", one.name,
                                     number, one.timing, one.event,
                                     MysqlSchemaSession::spelled(table), one.body));
        }
    }

    void drop_triggers(const AuxiliaryState& table, const Found& found) {
        for (const MysqlTrigger& one : found.triggers) {
            if (is_ours(one)) {
                session_.run("drop trigger if exists " +
                             sql::quoted(table.schema, sql::Dialect::mysql) + "." +
                             sql::quoted(one.name, sql::Dialect::mysql));
            }
        }
    }

    MysqlSchemaSession session_;
};

}  // namespace

std::unique_ptr<AuxiliaryColumns> triggered_auxiliary_columns(MysqlSchemaSession session) {
    return std::make_unique<TriggeredAuxiliaryColumns>(std::move(session));
}

std::unique_ptr<AuxiliaryColumns> mysql_auxiliary_columns(const Upstream& upstream,
                                                          TableWait wait) {
    MysqlSchemaSession session(upstream, wait);
    return session.is_mariadb() ? mariadb_auxiliary_columns(std::move(session))
                                : triggered_auxiliary_columns(std::move(session));
}

}  // namespace isotap::proxy
