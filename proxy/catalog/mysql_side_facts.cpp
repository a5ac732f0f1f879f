// What a side connection finds out about tables and functions.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "protocol/sql/letter_case.hpp"
#include "proxy/catalog/mysql_literal.hpp"
#include "proxy/catalog/mysql_queries.hpp"
#include "proxy/catalog/mysql_side.hpp"
#include "proxy/catalog/mysql_triggers.hpp"
#include "proxy/catalog/servers_own.hpp"

namespace isotap::proxy {
namespace {

namespace queries = mysql_queries;
using sql::TableKind;

bool beyond_ascii(const std::string& text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace

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
    const std::string schema_literal = mysql_literal(schema);
    const std::string table_literal = mysql_literal(name.second);
    const auto rows = ask(fmt::format(fmt::runtime(queries::table), schema_literal, table_literal,
                                      mysql_literal(user_)));
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
        facts.has_triggers = mariadb_ && row.at(5) == "1";
        facts.readable = row.at(6) != "1";
        if (const auto read = read_columns(schema_literal, table_literal, facts); !read) {
            return read.error();
        }
        if (const auto read = read_indexes(schema_literal, table_literal, facts); !read) {
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
        if (row.at(5) == "1") {
            facts.floats.push_back(row.at(0));
        }
        if (row.at(6) == "1") {
            facts.short_values.push_back(row.at(0));
        }
    }
    return {};
}

Asked<void> MysqlSide::read_indexes(const std::string& schema, const std::string& table,
                                    TableFacts& facts) {
    const auto rows = ask(fmt::format(fmt::runtime(queries::indexes), schema, table));
    if (!rows) {
        return rows.error();
    }
    facts.indexed.emplace();
    for (const Row& row : *rows) {
        if (row.at(1).empty()) {
            facts.indexed.reset();
            return {};
        }
        (row.at(0) == "1" ? facts.key : *facts.indexed).push_back(row.at(1));
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
    facts.update_cascades = cascades->at(0).at(0) != "0";
    facts.delete_cascades = cascades->at(0).at(1) != "0";
    return {};
}

Asked<std::vector<std::string>> MysqlSide::aggregates(const std::vector<std::string>& calls) {
    std::string list;
    for (const std::string& call : calls) {
        list += (list.empty() ? "" : ", ") + mysql_literal(call);
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

}  // namespace isotap::proxy
