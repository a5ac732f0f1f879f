#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/postgres/instrument/row_key.hpp"
#include "protocol/sql/name.hpp"
#include "proxy/workload/server.hpp"

namespace isotap::proxy {
namespace {

using history::IsolationLevel;

/// How long a look at a table may wait for whoever locks it.
constexpr const char* look_patience = "10ms";

std::uint64_t number_of(const std::optional<std::string>& text) {
    std::uint64_t value = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

/// "PostgreSQL 15.20 (Debian …)", "CockroachDB CCL v23.1.2 (…)".
workload::ServerPattern pattern_of(const std::string& version) {
    const bool cockroach = version.starts_with("CockroachDB");
    const std::size_t from = version.find_first_of("0123456789");
    const std::size_t end = version.find(' ', from);
    return {cockroach ? "cockroachdb" : "postgres",
            from == std::string::npos ? "" : version.substr(from, end - from)};
}

class PostgresServer final : public Server {
  public:
    explicit PostgresServer(const Upstream& target)
        : Server(target), control_(connect_postgres(target, {})) {
        what_ = pattern_of(must(*control_, "SELECT version()").rows.at(0).at(0).value_or(""));
        must(*control_, "SET client_min_messages = error");
    }

    ~PostgresServer() override {
        try {
            control_->execute("SET lock_timeout = 0");
            control_->execute("DROP SCHEMA IF EXISTS " + scratch_ + " CASCADE");
        } catch (const std::exception&) {  // the server is gone, and the schema with it or not
        }
    }

    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    [[nodiscard]] std::vector<IsolationLevel> levels() const override {
        if (what_.engine == "cockroachdb") return {IsolationLevel::serializable};
        // READ UNCOMMITTED is READ COMMITTED here.
        return {IsolationLevel::read_committed, IsolationLevel::repeatable_read,
                IsolationLevel::serializable};
    }

    void renew_scratch() override {
        must(*control_, "SET lock_timeout = 0");
        must(*control_, "DROP SCHEMA IF EXISTS " + scratch_ + " CASCADE");
        must(*control_, "CREATE SCHEMA " + scratch_);
        hurried_.clear();
        keys_.clear();
    }

    std::vector<std::string> tables(bool all) override {
        const auto answer = must(
            *control_,
            fmt::format("SELECT c.relname FROM pg_class c WHERE c.relnamespace = '{}'::regnamespace"
                        " AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND ({} OR NOT"
                        " EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND"
                        " i.indisprimary)) ORDER BY c.relname",
                        scratch_, all));
        std::vector<std::string> names;
        for (const workload::Row& row : answer.rows) names.push_back(row.at(0).value_or(""));
        return names;
    }

    std::vector<SeenRow> rows() override {
        std::vector<SeenRow> seen;
        for (const auto& [table, key] : keys()) {
            // A table that somebody has locked wholly fails, and has no rows.
            const auto answer = control_->execute(
                fmt::format("SET lock_timeout = '{}'; SELECT xmin::text, "
                            "to_jsonb(isotap_row)::text, {} FROM {} AS isotap_row",
                            look_patience, key, spelled(table)));
            for (const workload::Row& row : answer.rows) {
                std::string text = row.at(2).value_or("");
                for (std::size_t part = 3; part < row.size(); ++part) {
                    text += '\0' + row[part].value_or("");
                }
                seen.push_back({table, postgres::instrument::row_key_of(text),
                                static_cast<std::uint32_t>(number_of(row.at(0))),
                                row.at(1).value_or("")});
            }
        }
        return seen;
    }

    std::vector<bool> matches(const std::string& table, const std::string& alias,
                              const std::string& condition,
                              const std::vector<std::string>& images) override {
        if (condition.empty()) return std::vector<bool>(images.size(), true);
        std::string quoted;
        for (const char c : fmt::format("[{}]", fmt::join(images, ","))) {
            quoted += c;
            if (c == '\'') quoted += c;
        }
        const auto answer = control_->execute(
            fmt::format("SELECT ({}) IS TRUE FROM json_populate_recordset(null::{}, '{}') AS {}",
                        condition, spelled(table), quoted, alias));
        std::vector<bool> met;
        for (const workload::Row& row : answer.rows) met.push_back(row.at(0) == "t");
        return met;
    }

    /// With a key, xmin tells of versions: nothing has to be written into rows.
    void key_by(const std::string& table, const std::string& column) override {
        must(*control_, fmt::format("ALTER TABLE {} ADD PRIMARY KEY ({})", spelled(table), column));
    }

    std::unique_ptr<Client> connect(const Upstream& where) override {
        return connect_postgres(where, scratch_);
    }

    void set_level(Client& client, IsolationLevel level) override {
        must(client, fmt::format("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL {}",
                                 workload::level_name(level)));
    }

    /// Whoever closes the circle shall be the victim, as when a person types: a session that waits
    /// while nobody else does looks for a deadlock late, one that joins others soon. A session that
    /// was in a hurry once is told each time, since a rollback takes settings back.
    void before_statement(Client& client, bool others_wait) override {
        if (!may_set_timeout_) return;
        if (!others_wait && patient_.contains(client.id()) && !hurried_.contains(client.id())) {
            return;
        }
        const auto set = client.execute(others_wait ? "SET deadlock_timeout = '10ms'"
                                                    : "SET deadlock_timeout = '5s'");
        if (set.failed && set.state == "42501") may_set_timeout_ = false;
        (others_wait ? hurried_ : patient_).insert(client.id());
    }

    std::vector<LockWait> waits(std::span<const std::uint64_t> connections) override {
        const auto answer = must(
            *control_, fmt::format("SELECT w, b FROM unnest(ARRAY[{}]::int[]) AS w, unnest("
                                   "pg_blocking_pids(w) || pg_safe_snapshot_blocking_pids(w)) AS b",
                                   fmt::join(connections, ",")));
        std::vector<LockWait> waits;
        for (const workload::Row& row : answer.rows) {
            waits.push_back({number_of(row.at(0)), number_of(row.at(1))});
        }
        return waits;
    }

    void cancel(std::uint64_t connection) override {
        must(*control_, fmt::format("SELECT pg_cancel_backend({})", connection));
    }

  private:
    [[nodiscard]] std::string spelled(const std::string& table) const {
        return scratch_ + "." + sql::quoted(table, sql::Dialect::postgres);
    }

    /// The tables that have a primary key, with its columns as a select list; without those where
    /// triggers, rules or policies may keep back rows that meet a condition. Asked once a run.
    const std::map<std::string, std::string>& keys() {
        if (!keys_.empty()) return keys_;
        const auto answer = must(
            *control_,
            fmt::format("SELECT c.relname, string_agg(quote_ident(a.attname) || '::text', ', ' "
                        "ORDER BY array_position(i.indkey::int2[], a.attnum)) FROM pg_index i "
                        "JOIN pg_class c ON c.oid = i.indrelid JOIN pg_attribute a ON a.attrelid ="
                        " c.oid AND a.attnum = ANY (i.indkey) WHERE i.indisprimary AND "
                        "c.relkind = 'r' AND c.relnamespace = '{}'::regnamespace AND NOT "
                        "c.relrowsecurity AND NOT c.relhasrules AND NOT EXISTS (SELECT FROM "
                        "pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal) GROUP BY 1",
                        scratch_));
        for (const workload::Row& row : answer.rows) {
            keys_[row.at(0).value_or("")] = row.at(1).value_or("");
        }
        return keys_;
    }

    std::unique_ptr<Client> control_;
    std::string scratch_ = scratch_name();
    bool may_set_timeout_ = true;
    std::map<std::string, std::string> keys_;
    std::set<std::uint64_t> patient_;  ///< told once that they have time
    std::set<std::uint64_t> hurried_;  ///< told once that they have none
};

}  // namespace

std::unique_ptr<Server> open_postgres_server(const Upstream& target) {
    return std::make_unique<PostgresServer>(target);
}

}  // namespace isotap::proxy
