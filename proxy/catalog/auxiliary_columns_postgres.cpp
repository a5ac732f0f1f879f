#include <fmt/format.h>
#include <libpq-fe.h>

#include "isotap/proxy/startup_error.hpp"

#include "protocol/sql/name.hpp"
#include "proxy/catalog/auxiliary_columns.hpp"
#include "proxy/catalog/postgres_login.hpp"

namespace isotap::proxy {
namespace {

using Stage = AuxiliaryState::Stage;

/// Nobody waits long behind us: ALTER TABLE gives up, and may be started again.
constexpr const char* settings =
    "set lock_timeout = '5s'; set client_min_messages = 'error'; set search_path = pg_catalog";

/// Columns of ours have our comment. Triggers: rows are named by an UPDATE, which fires them.
constexpr const char* tables_query = R"(
select n.nspname, c.relname, case
        when c.relispartition or exists (select from pg_inherits h where h.inhrelid = c.oid)
            then 'its parent has them for it: name that one'
        when c.relhasrules then 'it has rules, and rows are not what is written'
        when exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
                     and t.tgtype & 16 <> 0) then 'a trigger would fire for every row that is named'
        when exists (select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
                     and a.attname in ('isotap_rowid', 'isotap_wlist')
                     and coalesce(col_description(c.oid, a.attnum), '') <> 'isotap')
            then 'it has columns of these names already'
        else '' end,
    (select count(*) from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
        and a.attname in ('isotap_rowid', 'isotap_wlist')
        and col_description(c.oid, a.attnum) = 'isotap')
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p') and c.relpersistence <> 't'
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\_t%'
order by 1, 2
)";

struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

class PostgresAuxiliaryColumns final : public AuxiliaryColumns {
  public:
    explicit PostgresAuxiliaryColumns(const Upstream& upstream)
        : connection_(connect_to_postgres(upstream, upstream.database)) {
        if (PQstatus(connection_.get()) != CONNECTION_OK) {
            fail("cannot connect", "check the URL");
        }
        run(settings);
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
        const Result rows = run(tables_query);
        std::vector<AuxiliaryState> found;
        for (int i = 0; i < PQntuples(rows.get()); ++i) {
            AuxiliaryState& table = found.emplace_back();
            table.schema = PQgetvalue(rows.get(), i, 0);
            table.table = PQgetvalue(rows.get(), i, 1);
            table.why = PQgetvalue(rows.get(), i, 2);
            const std::string_view columns = PQgetvalue(rows.get(), i, 3);
            if (!table.why.empty()) {
                table.stage = Stage::refused;
            } else if (columns == "2") {
                table.stage = Stage::ready;
            } else if (columns == "1") {
                table.stage = Stage::begun;
            }
        }
        return found;
    }

    void add(const AuxiliaryState& table, const Progress& progress) override {
        const std::string name = spelled(table);
        // Neither column is filled here: the first has no default yet, the second a constant one.
        run(
            fmt::format("begin; alter table {0} add column if not exists isotap_rowid uuid, "
                        "add column if not exists isotap_wlist text not null default 'T0'; "
                        "comment on column {0}.isotap_rowid is 'isotap'; "
                        "comment on column {0}.isotap_wlist is 'isotap'; "
                        "alter table {0} alter column isotap_rowid set default {1}; commit",
                        name, new_id()));
        std::uint64_t rows = 0;
        while (const std::uint64_t more = name_batch(name)) {
            progress(rows += more);
        }
    }

    void drop(const AuxiliaryState& table) override {
        run(
            fmt::format("alter table {} drop column if exists isotap_rowid, "
                        "drop column if exists isotap_wlist",
                        spelled(table)));
    }

  private:
    [[nodiscard]] const char* new_id() const {
        constexpr int knows_uuids = 130000;
        return PQserverVersion(connection_.get()) >= knows_uuids
                   ? "gen_random_uuid()"
                   : "md5(random()::text || clock_timestamp()::text)::uuid";
    }

    static std::string spelled(const AuxiliaryState& table) {
        return sql::quoted(table.schema, sql::Dialect::postgres) + "." +
               sql::quoted(table.table, sql::Dialect::postgres);
    }

    bool all_named(const AuxiliaryState& table) {
        const Result rows =
            run(fmt::format("select 1 from {} where isotap_rowid is null limit 1", spelled(table)));
        return PQntuples(rows.get()) == 0;
    }

    /// A row that somebody changes meanwhile has another ctid, and comes with the next batch.
    std::uint64_t name_batch(const std::string& name) {
        const Result done = run(fmt::format(
            "update {0} t set isotap_rowid = default from (select tableoid as part, ctid as place "
            "from {0} where isotap_rowid is null limit {1}) b "
            "where t.ctid = b.place and t.tableoid = b.part and t.isotap_rowid is null",
            name, rows_per_batch));
        return std::stoull(PQcmdTuples(done.get()));
    }

    Result run(const std::string& text) {
        Result result(PQexec(connection_.get(), text.c_str()));
        const ExecStatusType status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
            Result(PQexec(connection_.get(), "rollback"));
            throw StartupError(
                StartupError::Kind::failure,
                fmt::format("the server refused ({}): put that right and start again",
                            one_line(PQresultErrorMessage(result.get()))));
        }
        return result;
    }

    [[noreturn]] void fail(const char* what, const char* advice) {
        throw StartupError(
            StartupError::Kind::failure,
            fmt::format("{} ({}): {}", what, one_line(PQerrorMessage(connection_.get())), advice));
    }

    static std::string one_line(std::string text) {
        while (!text.empty() && text.back() == '\n') {
            text.pop_back();
        }
        for (char& c : text) {
            c = c == '\n' ? ' ' : c;
        }
        return text;
    }

    std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace

std::unique_ptr<AuxiliaryColumns> postgres_auxiliary_columns(const Upstream& upstream) {
    return std::make_unique<PostgresAuxiliaryColumns>(upstream);
}

}  // namespace isotap::proxy
