#include "proxy/workload/mysql_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "protocol/mysql/instrument/row_key.hpp"
#include "protocol/mysql/instrument/writer_list.hpp"
#include "protocol/sql/name.hpp"

namespace isotap::proxy {
namespace {

template <std::size_t size>
bool is_among(const std::array<std::string_view, size>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_binary(std::string_view type) {
    constexpr std::array<std::string_view, 6> types{"binary", "varbinary",  "tinyblob",
                                                    "blob",   "mediumblob", "longblob"};
    return is_among(types, type);
}

/// Types that a text of the client's character set brings back exactly.
bool is_textual(std::string_view type) {
    constexpr std::array<std::string_view, 20> types{
        "tinyint", "smallint", "mediumint", "int",       "bigint",   "decimal",   "double",
        "char",    "varchar",  "tinytext",  "text",      "longtext", "enum",      "set",
        "date",    "time",     "datetime",  "timestamp", "year",     "mediumtext"};
    return is_among(types, type);
}

/// In hexadecimal: no mode of the server reads that in another way.
std::string literal(const std::optional<std::string>& value, bool binary) {
    if (!value) return "NULL";
    std::string hex;
    for (const char c : *value) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return fmt::format(fmt::runtime(binary ? "x'{}'" : "CONVERT(x'{}' USING utf8mb4)"), hex);
}

}  // namespace

std::string MysqlRows::spelled(const std::string& table) const {
    return database_ + "." + sql::quoted(table, sql::Dialect::mysql);
}

/// Waits for no lock of a table, or for as little as the server lets one say.
std::string_view MysqlRows::impatient_select() const {
    return server_.engine == "mariadb" ? "SET STATEMENT lock_wait_timeout=0 FOR SELECT"
                                       : "SELECT /*+ SET_VAR(lock_wait_timeout=1) */";
}

/// Asked once a run.
const std::map<std::string, MysqlRows::Shape>& MysqlRows::shapes() {
    if (!shapes_.empty()) return shapes_;
    const auto answer = control_.execute(fmt::format(
        "SELECT table_name, column_name, data_type FROM information_schema.columns c WHERE"
        " table_schema = '{0}' AND extra NOT LIKE '%INVISIBLE%' AND EXISTS (SELECT 1 FROM"
        " information_schema.columns w WHERE w.table_schema = '{0}' AND"
        " w.table_name = c.table_name AND w.column_name = 'isotap_wlist')"
        " ORDER BY table_name, ordinal_position",
        database_));
    std::set<std::string> strange;
    for (const workload::Row& row : answer.rows) {
        const std::string type = row.at(2).value_or("");
        const std::string name = sql::quoted(row.at(1).value_or(""), sql::Dialect::mysql);
        Shape& shape = shapes_[row.at(0).value_or("")];
        // A float prints less than it has.
        shape.list += type == "float" ? fmt::format(", CAST(t.{} AS DOUBLE)", name) : ", t." + name;
        shape.binary.push_back(is_binary(type));
        if (!is_binary(type) && !is_textual(type) && type != "float") {
            strange.insert(row.at(0).value_or(""));
        }
    }
    for (const std::string& table : strange) shapes_.erase(table);
    return shapes_;
}

std::vector<SeenRow> MysqlRows::rows() {
    std::vector<SeenRow> seen;
    for (const auto& [table, shape] : shapes()) {
        const auto answer =
            control_.execute(fmt::format("{} t.isotap_rowid, t.isotap_wlist{} FROM {} t",
                                         impatient_select(), shape.list, spelled(table)));
        for (const workload::Row& row : answer.rows) {
            mysql::instrument::WriterList list;
            if (!row.at(0) || !row.at(1) || !read_writer_list(*row.at(1), list) ||
                list.writers.empty()) {
                continue;
            }
            std::string image;
            for (std::size_t i = 0; i < shape.binary.size(); ++i) {
                image += ", " + literal(row.at(i + 2), shape.binary[i]);
            }
            seen.push_back({table, mysql::instrument::row_key_of(*row.at(0)),
                            static_cast<std::uint32_t>(list.writers.back().writer), image});
        }
    }
    return seen;
}

/// In a table of the same columns without its keys: the server reads the condition as it did.
std::vector<bool> MysqlRows::matches(const std::string& table, const std::string& alias,
                                     const std::string& condition,
                                     const std::vector<std::string>& images) {
    std::vector<bool> met(images.size(), condition.empty());
    if (condition.empty() || images.empty()) return met;
    const std::string copy = database_ + ".isotap_images";
    std::string values;
    for (std::size_t i = 0; i < images.size(); ++i) {
        values += fmt::format("{}({}{})", i == 0 ? "" : ", ", i, images[i]);
    }
    const std::array texts{
        "DROP TEMPORARY TABLE IF EXISTS " + copy,
        fmt::format("CREATE TEMPORARY TABLE {} AS SELECT 0 AS isotap_image, t.* FROM {} t LIMIT 0",
                    copy, spelled(table)),
        fmt::format("INSERT INTO {} VALUES {}", copy, values),
        fmt::format("SELECT isotap_image FROM {} AS {} WHERE {}", copy, alias, condition)};
    workload::Answer answer;
    for (const std::string& text : texts) {
        answer = control_.execute(text);
        if (answer.failed) return {};
    }
    for (const workload::Row& row : answer.rows) {
        std::size_t place = 0;
        const std::string text = row.at(0).value_or("");
        std::from_chars(text.data(), text.data() + text.size(), place);
        met.at(place) = true;
    }
    return met;
}

}  // namespace isotap::proxy
