// A real MariaDB or MySQL server judges our rewriting: over the statements of their test suites,
// every rewritten text must prepare without error wherever the original does, and give the
// original's columns with ours behind them; where a SELECT can run twice, the original's rows as
// well.
//
// usage: sql_referee_mysql mariadb|mysql SOCKET FILE…
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mysql.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/sql/planner.hpp"
#include "tests/integration/mysqltest_script.hpp"

namespace {

namespace sql = isotap::sql;

class Server {
  public:
    Server(const char* socket, bool mariadb) : socket_(socket), mariadb_(mariadb) { connect(); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() { mysql_close(connection_); }

    bool run(const std::string& text) {
        if (mysql_real_query(connection_, text.data(), text.size()) != 0) {
            return false;
        }
        do {
            if (MYSQL_RES* result = mysql_store_result(connection_)) {
                mysql_free_result(result);
            }
        } while (mysql_next_result(connection_) == 0);
        return true;
    }

    std::vector<std::vector<std::string>> rows(const std::string& text) {
        std::vector<std::vector<std::string>> found;
        failed_ = mysql_real_query(connection_, text.data(), text.size()) != 0;
        MYSQL_RES* result = failed_ ? nullptr : mysql_store_result(connection_);
        if (result == nullptr) {
            failed_ = true;
            return found;
        }
        while (MYSQL_ROW row = mysql_fetch_row(result)) {
            std::vector<std::string> values;
            for (unsigned i = 0; i < mysql_num_fields(result); ++i) {
                values.emplace_back(row[i] != nullptr ? row[i] : "");
            }
            found.push_back(std::move(values));
        }
        mysql_free_result(result);
        return found;
    }

    /// The names of the columns that a statement gives; nothing if it does not prepare.
    std::optional<std::vector<std::string>> prepare(const std::string& text) {
        MYSQL_STMT* statement = mysql_stmt_init(connection_);
        std::optional<std::vector<std::string>> names;
        if (mysql_stmt_prepare(statement, text.data(), text.size()) == 0) {
            names.emplace();
            if (MYSQL_RES* fields = mysql_stmt_result_metadata(statement)) {
                for (unsigned i = 0; i < mysql_num_fields(fields); ++i) {
                    names->emplace_back(mysql_fetch_field_direct(fields, i)->name);
                }
                mysql_free_result(fields);
            }
        } else {
            error_ = mysql_stmt_error(statement);
        }
        mysql_stmt_close(statement);
        return names;
    }

    [[nodiscard]] const std::string& error() const { return error_; }
    /// The last `rows` gave none because of an error, such as a time-out.
    [[nodiscard]] bool failed() const { return failed_; }

    /// A clean server and session for the next file.
    void reset() {
        mysql_close(connection_);
        connect();
        for (const auto& row : rows("show databases")) {
            if (row[0] != "information_schema" && row[0] != "performance_schema" &&
                row[0] != "mysql" && row[0] != "sys") {
                run("drop database `" + row[0] + "`");
            }
        }
        run("create database test");
        run("use test");
        run(mariadb_ ? "set max_statement_time = 2" : "set max_execution_time = 2000");
    }

    [[nodiscard]] bool mariadb() const { return mariadb_; }
    [[nodiscard]] std::uint32_t version() const {
        return static_cast<std::uint32_t>(mysql_get_server_version(connection_));
    }

  private:
    void connect() {
        connection_ = mysql_init(nullptr);
        if (mysql_real_connect(connection_, nullptr, "root", "", nullptr, 0, socket_,
                               CLIENT_MULTI_RESULTS) == nullptr) {
            std::fprintf(stderr, "cannot connect: %s\n", mysql_error(connection_));
            std::exit(2);
        }
    }

    const char* socket_;
    bool mariadb_;
    MYSQL* connection_ = nullptr;
    std::string error_;
    bool failed_ = false;
};

/// Answers from the server's information schema, remembered until the schema changes.
class ServerCatalog : public sql::Catalog {
  public:
    explicit ServerCatalog(Server& server) : server_(server) {}

    void forget() { tables_.clear(); }

    [[nodiscard]] const sql::Table* find(std::string_view schema,
                                         std::string_view name) const override {
        const auto key = std::make_pair(std::string(schema), std::string(name));
        auto found = tables_.find(key);
        if (found == tables_.end()) {
            found = tables_.emplace(key, load(key.first, key.second)).first;
        }
        return found->second.get();
    }
    [[nodiscard]] bool is_user_aggregate(std::string_view) const override { return false; }

  private:
    [[nodiscard]] std::unique_ptr<sql::Table> load(const std::string& schema,
                                                   const std::string& name) const {
        if (name.find_first_of("'\\") != std::string::npos ||
            schema.find_first_of("'\\") != std::string::npos) {
            return nullptr;
        }
        const std::string where =
            " where table_schema = " +
            (schema.empty() ? std::string("database()") : "'" + schema + "'") +
            " and table_name = '" + name + "'";
        const auto kinds = server_.rows("select table_type from information_schema.tables" + where);
        if (kinds.empty()) {
            return nullptr;
        }
        auto table = std::make_unique<sql::Table>();
        table->identity = schema + "." + name;
        table->kind = kinds[0][0] == "BASE TABLE" ? sql::TableKind::ordinary
                      : kinds[0][0] == "VIEW"     ? sql::TableKind::view
                                                  : sql::TableKind::other;
        for (const auto& row :
             server_.rows("select column_name, extra from information_schema.columns" + where)) {
            if (row[0] == table->row_id) {
                table->source = sql::VersionSource::columns;
            } else if (row[0] != table->writers) {
                table->columns.push_back(row[0]);
                if (row[1].find("auto_increment") != std::string::npos) {
                    table->auto_increment = row[0];
                }
            }
        }
        return table;
    }

    Server& server_;
    mutable std::map<std::pair<std::string, std::string>, std::unique_ptr<sql::Table>> tables_;
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

class Referee {
  public:
    Referee(const char* socket, bool mariadb) : server_(socket, mariadb), catalog_(server_) {}

    void file(const std::string& path) {
        server_.reset();
        catalog_.forget();
        read_settings();
        for (const std::string& statement : sql::statements_of_mysqltest(path)) {
            one(statement);
        }
    }

    int verdict() const {
        std::vector<std::pair<std::size_t, std::string>> sorted;
        for (const auto& [reason, count] : reasons_) {
            sorted.emplace_back(count, reason);
        }
        std::sort(sorted.rbegin(), sorted.rend());
        for (const auto& [count, reason] : sorted) {
            std::printf("%6zu (%.1f %%) planned %s\n", count,
                        100.0 * static_cast<double>(count) / static_cast<double>(seen_),
                        reason.c_str());
        }
        std::printf(
            "%zu statements that prepare, %zu not sure (%.2f %%), %zu rewritten, "
            "%zu ran beside the original, %zu wrong\n",
            seen_, unsure_, 100.0 * static_cast<double>(unsure_) / static_cast<double>(seen_),
            rewritten_, compared_, wrong_);
        return wrong_ == 0 && rewritten_ > 0 ? 0 : 1;
    }

  private:
    void one(const std::string& text) {
        tokens_.read(text, state_);
        sql::parse(tokens_, state_, structure_);
        switch (structure_.kind) {
            case sql::StatementKind::ddl: change_schema(text); break;
            case sql::StatementKind::other: setting(text); break;
            case sql::StatementKind::select: judge(text); break;
            case sql::StatementKind::insert:
            case sql::StatementKind::replace:
            case sql::StatementKind::update:
            case sql::StatementKind::remove:
                // Run, so that there are rows to compare; but not through views, where 10.11 has
                // bugs that end the server.
                if (judge(text) != "view") {
                    server_.run(text);
                }
                break;
            default: break;
        }
    }

    /// Tables get their auxiliary columns as soon as they are there.
    void change_schema(const std::string& text) {
        const std::string lowered = lower(text);
        const bool wanted = lowered.find("table") != std::string::npos ||
                            lowered.find("view") != std::string::npos ||
                            lowered.find("database") != std::string::npos;
        if (!wanted || lowered.find("temporary") != std::string::npos ||
            lowered.find("connect") != std::string::npos || !server_.run(text)) {
            return;
        }
        catalog_.forget();
        // MySQL refuses to add what is there already, which is as good; and a default that differs
        // from row to row, which no statement here would show.
        const std::string add = server_.mariadb() ? " add column if not exists " : " add column ";
        const std::string identity = server_.mariadb() ? "(uuid())" : "'R'";
        for (const sql::Relation& relation : structure_.relations) {
            server_.run("alter table " + std::string(tokens_.text(relation.all)) + add +
                        "isotap_rowid char(36) character set ascii invisible default " + identity +
                        "," + add +
                        "isotap_wlist varchar(400) character set ascii invisible not null"
                        " default 'T0'");
        }
    }

    void setting(const std::string& text) {
        const std::string lowered = lower(text);
        const bool wanted =
            lowered.rfind("use ", 0) == 0 ||
            (lowered.rfind("set ", 0) == 0 && lowered.find("global") == std::string::npos &&
             (lowered.find("sql_mode") != std::string::npos ||
              lowered.find("names") != std::string::npos ||
              lowered.find("character") != std::string::npos));
        if (wanted && server_.run(text)) {
            catalog_.forget();
            read_settings();
        }
    }

    void read_settings() {
        const auto row = server_.rows("select @@sql_mode, @@character_set_client").at(0);
        state_ = sql::LexerState{};
        state_.dialect = sql::Dialect::mysql;
        state_.mariadb = server_.mariadb();
        state_.server_version = server_.version();
        state_.ansi_quotes = row[0].find("ANSI_QUOTES") != std::string::npos;
        state_.no_backslash_escapes = row[0].find("NO_BACKSLASH_ESCAPES") != std::string::npos;
        state_.certain = row[0].find("ORACLE") == std::string::npos;
        state_.trail_bytes_look_ascii = row[1] == "sjis" || row[1] == "cp932" || row[1] == "big5" ||
                                        row[1] == "gbk" || row[1] == "gb18030";
    }

    /// Gives the reason that the planner gave.
    std::string_view judge(const std::string& text) {
        const auto columns = server_.prepare(text);
        if (!columns) {
            return {};
        }
        ++seen_;
        const sql::Plan plan = sql::make_plan(tokens_, structure_, state_, catalog_, {});
        if (!structure_.sure()) {
            ++unsure_;
            if (std::getenv("ISOTAP_SHOW_UNSURE") != nullptr) {
                std::printf("NOT SURE (%s): %s\n", structure_.doubt.data(), text.c_str());
            }
        }
        const bool partly = plan.coverage == isotap::history::Coverage::partial;
        ++reasons_[plan.reason.empty()
                       ? std::string("full")
                       : (partly ? "partly: " : "not: ") + std::string(plan.reason)];
        if (!plan.rewrites()) {
            return plan.reason;
        }
        ++rewritten_;
        std::string rewritten;
        sql::apply(plan, tokens_, "'T5.1'", rewritten);
        const auto given = server_.prepare(rewritten);
        // MariaDB describes the columns of RETURNING only when the statement runs.
        const bool described = structure_.kind == sql::StatementKind::select;
        const std::size_t wanted = columns->size() + (described ? plan.added.size() : 0);
        const bool right = given && given->size() == wanted &&
                           std::equal(columns->begin(), columns->end(), given->begin());
        if (!right) {
            wrong(text, rewritten, given ? "other columns" : server_.error());
        } else if (comparable(text)) {
            compare(text, rewritten);
        }
        return plan.reason;
    }

    /// What gives the same rows each time it runs, and leaves nothing behind.
    [[nodiscard]] bool comparable(const std::string& text) const {
        if (structure_.kind != sql::StatementKind::select ||
            !structure_.queries[structure_.top].limit.empty()) {
            return false;
        }
        const std::string lowered = lower(text);
        const auto without = [&lowered](const char* word) {
            return lowered.find(word) == std::string::npos;
        };
        return without("@") && without("sleep") && without("benchmark") && without("lock") &&
               without("nextval") && without("kill") && without("?");
    }

    /// The client's columns must hold what they would have held. A statement that differs from
    /// itself proves nothing.
    void compare(const std::string& text, const std::string& rewritten) {
        auto before = server_.rows(text);
        bool failed = server_.failed();
        auto ours = server_.rows(rewritten);
        failed = failed || server_.failed();
        auto after = server_.rows(text);
        if (failed || server_.failed()) {
            return;  // it prepares, but runs into a limit or an error of its own
        }
        const std::size_t width = before.empty() ? 0 : before[0].size();
        for (auto& row : ours) {
            row.resize(std::min(row.size(), width));
        }
        std::sort(before.begin(), before.end());
        std::sort(ours.begin(), ours.end());
        std::sort(after.begin(), after.end());
        if (before != after) {
            return;
        }
        ++compared_;
        if (before != ours) {
            wrong(text, rewritten, "other rows");
        }
    }

    void wrong(const std::string& text, const std::string& rewritten, const std::string& why) {
        ++wrong_;
        std::printf("WRONG: %s\n    as: %s\n    %s\n", text.c_str(), rewritten.c_str(),
                    why.c_str());
    }

    Server server_;
    ServerCatalog catalog_;
    sql::LexerState state_;
    sql::TokenList tokens_;
    sql::Structure structure_;
    std::map<std::string, std::size_t> reasons_;
    std::size_t seen_ = 0;
    std::size_t unsure_ = 0;
    std::size_t rewritten_ = 0;
    std::size_t compared_ = 0;
    std::size_t wrong_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s mariadb|mysql SOCKET FILE…\n", argv[0]);
        return 2;
    }
    Referee referee(argv[2], std::string_view(argv[1]) == "mariadb");
    for (int i = 3; i < argc; ++i) {
        referee.file(argv[i]);
    }
    return referee.verdict();
}
