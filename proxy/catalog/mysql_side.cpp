#include "proxy/catalog/mysql_side.hpp"

#include <algorithm>
#include <array>
#include <mysql.h>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "protocol/sql/letter_case.hpp"
#include "proxy/catalog/mysql_queries.hpp"
#include "proxy/catalog/mysql_triggers.hpp"
#include "proxy/catalog/servers_own.hpp"

namespace isotap::proxy {
namespace {

namespace queries = mysql_queries;
using sql::TableKind;

constexpr unsigned first_client_error = 2000;
constexpr unsigned last_client_error = 2999;

/// A lock that a client holds, or a question that took too long.
constexpr std::array locked_numbers{1205U, 1969U, 3024U};

struct FreeResult {
    void operator()(MYSQL_RES* result) const noexcept { mysql_free_result(result); }
};
struct FreeStatement {
    void operator()(MYSQL_STMT* statement) const noexcept { mysql_stmt_close(statement); }
};
using Result = std::unique_ptr<MYSQL_RES, FreeResult>;
using Statement = std::unique_ptr<MYSQL_STMT, FreeStatement>;

/// The same under every sql_mode.
std::string literal(std::string_view text) {
    std::string hex;
    for (const char c : text) {
        hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
    return "_utf8mb4 x'" + hex + "'";
}

bool beyond_ascii(const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

/// A name of a character set, or the number of a collation: nothing that could be something else.
bool is_plain_word(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

/// A statement that the server has prepared, and the columns of its result.
struct Described {
    Statement statement;
    Result columns;  ///< null: it gives no rows, or says so only when it runs

    [[nodiscard]] unsigned width() const { return columns ? mysql_num_fields(columns.get()) : 0; }
};

bool same_text(const char* one, const char* other) {
    return std::string_view(one == nullptr ? "" : one) ==
           std::string_view(other == nullptr ? "" : other);
}

/// Nothing that a client could see differs.
bool same_column(const MYSQL_FIELD& one, const MYSQL_FIELD& other) {
    return same_text(one.name, other.name) && same_text(one.org_name, other.org_name) &&
           same_text(one.table, other.table) && same_text(one.org_table, other.org_table) &&
           same_text(one.db, other.db) && one.type == other.type && one.length == other.length &&
           one.charsetnr == other.charsetnr && one.flags == other.flags &&
           one.decimals == other.decimals;
}

bool same_to_the_client(const Described& original, const Described& rewritten,
                        const sql::Plan& plan) {
    if (mysql_stmt_param_count(original.statement.get()) !=
        mysql_stmt_param_count(rewritten.statement.get())) {
        return false;
    }
    // What RETURNING gives is said only when the statement runs.
    const bool said_later = original.width() == 0 && rewritten.width() == 0;
    if (!said_later && rewritten.width() != original.width() + plan.added.size()) {
        return false;
    }
    for (unsigned i = 0; i < original.width(); ++i) {
        if (!same_column(*mysql_fetch_field_direct(original.columns.get(), i),
                         *mysql_fetch_field_direct(rewritten.columns.get(), i))) {
            return false;
        }
    }
    return true;
}

}  // namespace

Asked<std::unique_ptr<SideConnection>> MysqlSide::connect(const Upstream& upstream) {
    if (upstream.user.empty()) {
        return Trouble{PlanOutcome::no_connection, "no login for a side connection",
                       "the upstream URL names no user"};
    }
    MysqlLogin login = connect_to_mysql(upstream, {}, MysqlPatience::seconds);
    if (!login.connection) {
        return Trouble{PlanOutcome::no_connection, "no side connection", std::move(login.error)};
    }
    std::unique_ptr<MysqlSide> side(new MysqlSide(std::move(login.connection)));
    if (const auto ready = side->set_up(); !ready) {
        return Trouble{PlanOutcome::no_connection, "no side connection", ready.error().detail};
    }
    return std::unique_ptr<SideConnection>(std::move(side));
}

Asked<void> MysqlSide::set_up() {
    mariadb_ = mariadb_connection(connection_.get()) != 0;
    const auto set = ask(mariadb_ ? queries::mariadb_settings : queries::mysql_settings);
    if (!set) {
        return set.error();
    }
    const auto folds = ask("select @@lower_case_table_names <> 0");
    if (!folds) {
        return folds.error();
    }
    names_fold_case_ = folds->at(0).at(0) == "1";
    const auto tracks = ask("show global variables like 'session_track_state_change'");
    if (!tracks) {
        return tracks.error();
    }
    tracks_state_ = !tracks->empty() && tracks->front().at(1) == "ON";
    return {};
}

Trouble MysqlSide::trouble(unsigned number, const char* words, PlanOutcome outcome,
                           std::string_view reason) const {
    if (number >= first_client_error && number <= last_client_error) {
        return {PlanOutcome::no_connection, "no side connection", words};
    }
    if (std::find(locked_numbers.begin(), locked_numbers.end(), number) != locked_numbers.end()) {
        return {PlanOutcome::locked, "table is locked", words};
    }
    return {outcome, reason, words};
}

Asked<std::vector<MysqlSide::Row>> MysqlSide::ask(const std::string& text) {
    MYSQL* const connection = connection_.get();
    const auto refused = [&] {
        return trouble(mysql_errno(connection), mysql_error(connection), PlanOutcome::not_prepared,
                       "catalog question refused");
    };
    if (mysql_real_query(connection, text.data(), text.size()) != 0) {
        return refused();
    }
    const Result result(mysql_store_result(connection));
    if (!result) {
        return mysql_errno(connection) == 0 ? Asked<std::vector<Row>>(std::vector<Row>{})
                                            : refused();
    }
    std::vector<Row> rows;
    while (const MYSQL_ROW values = mysql_fetch_row(result.get())) {
        const unsigned long* const lengths = mysql_fetch_lengths(result.get());
        Row& row = rows.emplace_back();
        for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i) {
            row.emplace_back(values[i] == nullptr ? std::string()
                                                  : std::string(values[i], lengths[i]));
        }
    }
    return rows;
}

Asked<void> MysqlSide::enter(const sql::PlanContext& context, const sql::LexerState& /*lexing*/) {
    MYSQL* const connection = connection_.get();
    database_ = context.database;
    user_ = context.user;
    if (!database_.empty() && mysql_select_db(connection, database_.c_str()) != 0) {
        return trouble(mysql_errno(connection), mysql_error(connection), PlanOutcome::not_prepared,
                       "unknown database");
    }
    if (context.sql_mode != sql_mode_) {
        const auto set = ask("set session sql_mode = " +
                             (context.sql_mode.empty() ? "default" : literal(context.sql_mode)));
        if (!set) {
            return set.error();
        }
        sql_mode_ = context.sql_mode;
    }
    return set_charset(context.character_set);
}

Asked<void> MysqlSide::set_charset(const std::string& charset) {
    if (charset == charset_) {
        return {};
    }
    std::string name = charset.empty() ? "utf8mb4" : charset;
    if (is_plain_word(name) && name.front() >= '0' && name.front() <= '9') {
        const auto found =
            ask("select character_set_name from information_schema.collations "
                "where id = " +
                name);
        if (!found) {
            return found.error();
        }
        name = found->empty() ? "utf8mb4" : found->front().front();
    }
    if (!is_plain_word(name)) {
        return Trouble{PlanOutcome::not_prepared, "character set unknown", charset};
    }
    if (const auto set = ask("set names " + name); !set) {
        return set.error();
    }
    charset_ = charset;
    unicode_ = sql::small_letters(name).starts_with("utf8");
    return {};
}

Asked<NamesKnown> MysqlSide::look_up(const NamesAsked& names) {
    NamesKnown known;
    for (const TableName& name : names.tables) {
        auto facts = look_up_table(name);
        if (!facts) {
            return facts.error();
        }
        if (*facts) {
            known.tables.emplace_back(name, std::move(**facts));
        }
    }
    if (!names.calls.empty()) {
        auto found = aggregates(names.calls);
        if (!found) {
            return found.error();
        }
        known.aggregates = std::move(*found);
    }
    return known;
}

Asked<std::optional<TableFacts>> MysqlSide::look_up_table(const TableName& name) {
    const std::string& schema = name.first.empty() ? database_ : name.first;
    if (is_servers_own(schema)) {
        TableFacts facts;
        facts.kind = TableKind::system;
        return std::optional(std::move(facts));
    }
    // Other names would have to be read in the client's character set.
    if (schema.empty() || (!unicode_ && (beyond_ascii(schema) || beyond_ascii(name.second)))) {
        return std::optional<TableFacts>();
    }
    const std::string schema_literal = literal(schema);
    const std::string table_literal = literal(name.second);
    const auto rows = ask(
        fmt::format(fmt::runtime(queries::table), schema_literal, table_literal, literal(user_)));
    if (!rows) {
        return rows.error();
    }
    for (const Row& row : *rows) {
        if (!names_fold_case_ && row.at(3) != "1") {
            continue;
        }
        TableFacts facts;
        facts.kind = row.at(0) == "BASE TABLE" ? TableKind::ordinary
                     : row.at(0) == "VIEW"     ? TableKind::view
                                               : TableKind::other;
        facts.transactional = sql::small_letters(row.at(1)) == "innodb";
        facts.identity = row.at(2);
        // Where triggers tell, ours is the last one that sees a row.
        facts.has_rules = mariadb_ && facts.kind != TableKind::view && row.at(4) == "1";
        facts.readable = row.at(5) != "1";
        if (const auto read = read_columns(schema_literal, table_literal, facts); !read) {
            return read.error();
        }
        if (mariadb_) {
            return std::optional(std::move(facts));
        }
        if (const auto read = read_triggers(schema_literal, table_literal, facts); !read) {
            return read.error();
        }
        return std::optional(std::move(facts));
    }
    return std::optional<TableFacts>();
}

/// Columns that are not shown get no value by position and are not in `*`; ours have to be known
/// all the same. Those of others that happen to have the names, or without the defaults that new
/// rows need, are not ours.
Asked<void> MysqlSide::read_columns(const std::string& schema, const std::string& table,
                                    TableFacts& facts) {
    const auto rows = ask(fmt::format(fmt::runtime(queries::columns), schema, table));
    if (!rows) {
        return rows.error();
    }
    static const sql::Table names;
    facts.invisible_columns = true;
    for (const Row& row : *rows) {
        const bool visible = row.at(1) != "1";
        const bool named = row.at(0) == names.row_id || row.at(0) == names.writers;
        // MySQL's trigger is looked at where a write needs it.
        const bool ours = named && !visible && row.at(2) == "1" && (row.at(4) == "1" || !mariadb_);
        if (named ? ours : visible) {
            facts.columns.push_back(row.at(0));
        }
        if (row.at(3) == "1") {
            facts.auto_increment = row.at(0);
        }
    }
    return {};
}

Asked<void> MysqlSide::read_triggers(const std::string& schema, const std::string& table,
                                     TableFacts& facts) {
    const auto triggers = ask(fmt::format(fmt::runtime(queries::triggers), schema, table));
    if (!triggers) {
        return triggers.error();
    }
    if (triggers->empty()) {
        return {};
    }
    const auto columns = ask(fmt::format(fmt::runtime(queries::stored_columns), schema, table));
    if (!columns) {
        return columns.error();
    }
    const auto cascades = ask(fmt::format(fmt::runtime(queries::cascades), schema, table));
    if (!cascades) {
        return cascades.error();
    }
    std::vector<MysqlTrigger> found;
    for (const Row& row : *triggers) {
        found.push_back({row.at(0), row.at(1), row.at(2), row.at(3)});
    }
    std::vector<MysqlColumn> stored;
    for (const Row& row : *columns) {
        stored.push_back({row.at(0), row.at(1)});
    }
    facts.told_by_triggers =
        !tracks_state_ && are_in_force(found, wanted_triggers(facts.identity, stored));
    facts.cascades = cascades->at(0).at(0) != "0";
    return {};
}

Asked<std::vector<std::string>> MysqlSide::aggregates(const std::vector<std::string>& calls) {
    std::string list;
    for (const std::string& call : calls) {
        list += (list.empty() ? "" : ", ") + literal(call);
    }
    auto rows = ask(fmt::format(
        fmt::runtime(mariadb_ ? queries::mariadb_aggregates : queries::mysql_aggregates), list));
    if (!rows && rows.error().outcome == PlanOutcome::not_prepared) {
        rows = ask(fmt::format(fmt::runtime(queries::functions), list));
    }
    if (!rows) {
        return rows.error();
    }
    std::vector<std::string> names;
    for (const Row& row : *rows) {
        names.push_back(row.at(0));
    }
    return names;
}

Asked<void> MysqlSide::prove(const Proof& proof) {
    const auto describe = [this](const std::string& text, PlanOutcome outcome,
                                 std::string_view reason) -> Asked<Described> {
        Described made;
        made.statement.reset(mysql_stmt_init(connection_.get()));
        if (!made.statement) {
            return Trouble{PlanOutcome::no_connection, "no side connection", "no memory"};
        }
        if (mysql_stmt_prepare(made.statement.get(), text.data(), text.size()) != 0) {
            return trouble(mysql_stmt_errno(made.statement.get()),
                           mysql_stmt_error(made.statement.get()), outcome, reason);
        }
        made.columns.reset(mysql_stmt_result_metadata(made.statement.get()));
        return made;
    };
    const auto original =
        describe(proof.original, PlanOutcome::not_prepared, "not prepared by itself");
    if (!original) {
        return original.error();
    }
    const auto rewritten =
        describe(proof.rewritten, PlanOutcome::refuted, "rewritten text refused");
    if (!rewritten) {
        return rewritten.error();
    }
    if (!same_to_the_client(*original, *rewritten, proof.plan)) {
        return Trouble{PlanOutcome::refuted, "rewritten text shows", proof.rewritten};
    }
    return {};
}

Asked<std::string> MysqlSide::signature() {
    const auto begun = ask(queries::changes_begun);
    if (!begun) {
        return begun.error();
    }
    std::string text;
    for (const Row& row : *begun) {
        text += row.at(1) + ' ';
    }
    using Questions = std::span<const char* const>;
    for (const char* question :
         mariadb_ ? Questions(queries::mariadb_dictionary) : Questions(queries::mysql_dictionary)) {
        const auto found = ask(question);
        // Who may not read the dictionary sees long changes when they begin, and not when they end.
        if (!found && found.error().outcome != PlanOutcome::not_prepared) {
            return found.error();
        }
        text += found ? found->at(0).at(0) + ' ' : std::string();
    }
    return text;
}

}  // namespace isotap::proxy
