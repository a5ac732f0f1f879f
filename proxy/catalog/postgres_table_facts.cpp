#include "proxy/catalog/postgres_table_facts.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json.hpp>

namespace isotap::proxy {
namespace {

namespace json = boost::json;
using sql::TableKind;

/// Types whose text is the same in every session, whatever it has set. A plain one is that which a
/// result in text form has as well; a bool is not: cast to text it is `true`, and `t` there.
constexpr std::array<std::string_view, 5> plain_types{"int2", "int4", "int8", "oid", "uuid"};
constexpr std::array<std::string_view, 19> stable_types{
    "bool",   "numeric", "text",   "varchar", "bpchar",  "name",     "char",
    "enum",   "inet",    "cidr",   "citext",  "macaddr", "macaddr8", "bit",
    "varbit", "jsonb",   "pg_lsn", "time",    "timetz"};

/// What makes bytes of a value that are the same in every session, where its text is not.
struct Sender {
    std::string_view type;
    std::string_view function;
};
constexpr std::array senders{
    Sender{"date", "pg_catalog.date_send"},
    Sender{"timestamp", "pg_catalog.timestamp_send"},
    Sender{"timestamptz", "pg_catalog.timestamptz_send"},
    Sender{"interval", "pg_catalog.interval_send"},
    Sender{"float4", "pg_catalog.float4send"},
    Sender{"float8", "pg_catalog.float8send"},
    Sender{"bytea", "pg_catalog.byteasend"},
    Sender{"money", "pg_catalog.cash_send"},
    Sender{"array", "pg_catalog.array_send"},
    Sender{"range", "pg_catalog.range_send"},
};

template <std::size_t size>
bool holds(const std::array<std::string_view, size>& names, std::string_view name) {
    for (const std::string_view one : names) {
        if (one == name) {
            return true;
        }
    }
    return false;
}

std::string_view sender_of(std::string_view type) {
    for (const Sender& sender : senders) {
        if (sender.type == type) {
            return sender.function;
        }
    }
    return {};
}

KeyText key_text_of(std::string_view type) {
    if (holds(plain_types, type)) {
        return KeyText::plain;
    }
    if (!sender_of(type).empty()) {
        return KeyText::bytes;
    }
    return holds(stable_types, type) ? KeyText::any : KeyText::unstable;
}

std::string text_of(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : std::string();
}

std::vector<std::string> texts_of(const json::value& value) {
    std::vector<std::string> texts;
    if (const auto* all = value.if_array()) {
        for (const json::value& one : *all) {
            texts.push_back(text_of(one));
        }
    }
    return texts;
}

TableKind kind_of(const json::object& row) {
    if (row.at("own").get_bool()) {
        return TableKind::system;
    }
    if (row.at("temporary").get_bool()) {
        return TableKind::other;
    }
    const std::string kind = text_of(row.at("kind"));
    if (kind == "r") {
        return TableKind::ordinary;
    }
    if (kind == "p") {
        return TableKind::partitioned;
    }
    return kind == "v" || kind == "m" ? TableKind::view : TableKind::other;
}

}  // namespace

TableFacts postgres_table_facts(const json::object& row) {
    TableFacts facts;
    facts.kind = kind_of(row);
    facts.inherits = row.at("inherits").get_bool();
    facts.has_rules = facts.kind != TableKind::view && row.at("rules").get_bool();
    facts.row_security = row.at("secured").get_bool();
    facts.readable = row.at("readable").get_bool();
    const bool shares_key = row.at("root_name").is_string();
    facts.identity = text_of(row.at(shares_key ? "root_schema" : "schema")) + "." +
                     text_of(row.at(shares_key ? "root_name" : "name"));
    facts.is_part = shares_key && (row.at("root_schema") != row.at("schema") ||
                                   row.at("root_name") != row.at("name"));
    facts.columns = texts_of(row.at("columns"));
    facts.generated = texts_of(row.at("generated"));
    if (const auto* key = row.at("key").if_array()) {
        for (const json::value& column : *key) {
            facts.key.push_back(text_of(column.at(0)));
            const std::string type = text_of(column.at(1));
            facts.key_text.push_back(key_text_of(type));
            facts.key_bytes.emplace_back(sender_of(type));
        }
    }
    return facts;
}

}  // namespace isotap::proxy
