#include "proxy/catalog/mysql_side.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <mysql.h>
#include <span>
#include <utility>

#include "protocol/sql/letter_case.hpp"
#include "proxy/catalog/mysql_literal.hpp"
#include "proxy/catalog/mysql_queries.hpp"
#include "proxy/catalog/mysql_result.hpp"

namespace isotap::proxy {
namespace {

namespace queries = mysql_queries;

constexpr unsigned first_client_error = 2000;
constexpr unsigned last_client_error = 2999;

/// A lock that a client holds, or a question that took too long.
constexpr std::array locked_numbers{1205U, 1969U, 3024U};

/// A name of a character set, or the number of a collation: nothing that could be something else.
bool is_plain_word(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
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
    if (const auto known = ask_for_text_max(); !known) {
        return known.error();
    }
    return {};
}

/// What a session may send that begins now.
Asked<std::string> MysqlSide::ask_for_text_max() {
    auto asked = ask("select @@global.max_allowed_packet");
    if (!asked) {
        return asked.error();
    }
    std::string text = std::move(asked->at(0).at(0));
    std::from_chars(text.data(), text.data() + text.size(), text_max_);
    return text;
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
    const MysqlResult result(mysql_store_result(connection));
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
        const auto set =
            ask("set session sql_mode = " +
                (context.sql_mode.empty() ? "default" : mysql_literal(context.sql_mode)));
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

Asked<std::string> MysqlSide::signature() {
    const auto begun = ask(queries::changes_begun);
    if (!begun) {
        return begun.error();
    }
    const auto text_max = ask_for_text_max();
    if (!text_max) {
        return text_max.error();
    }
    std::string text = *text_max + ' ';
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
