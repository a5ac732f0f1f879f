#include "protocol/sql/told.hpp"

#include <utility>

namespace isotap::sql {
namespace {

constexpr std::size_t bytes_in_each_row = 255;

std::string as_hex(const std::string& text) {
    return "encode(convert_to(" + text + ",'UTF8'),'hex')";
}

/// One table's key and version as one text, aggregated. `rows` are those of one table.
Told packed_rows(const std::vector<Told>& rows, bool mysql) {
    Told made = rows.front();
    bool plain = true;
    for (const Told& row : rows) {
        plain = plain && (row.role != ColumnRole::key || row.plain);
    }
    std::string key;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        key += key.empty() ? "" : "||','||";
        key += plain ? rows[i].text : as_hex(rows[i].text);
    }
    const std::string& version = rows.back().text;
    made.role = plain ? ColumnRole::packed : ColumnRole::packed_hex;
    // Rows that were there before their table got the columns may have no rowId yet.
    made.text = mysql ? "group_concat(ifnull(" + key + ",''),'='," + version + " separator ';')"
                      : "string_agg(" + key + "||'='||" + version + ",';')";
    return made;
}

}  // namespace

void tell_rows(Draft& draft, const Table& table, const std::string& qualifier,
               history::AccessKind kind, std::vector<Told>& told) {
    const std::size_t index = draft.add_table(table, kind);
    const bool columns = table.source == VersionSource::columns;
    for (std::string& part : draft.key_parts(table, qualifier)) {
        told.push_back({ColumnRole::key, index, std::move(part), columns || table.plain_key});
    }
    if (columns) {
        told.push_back(
            {ColumnRole::writers, index, qualifier + "." + draft.quote(table.writers), true});
    } else {
        told.push_back({ColumnRole::seen, index, qualifier + ".xmin::text", true});
    }
}

Told each_once(Told packed) {
    packed.text.insert(packed.text.find('(') + 1, "distinct ");
    return packed;
}

Told if_short(Told packed) {
    packed.role = ColumnRole::packed_if_short;
    packed.text = "if(length(" + packed.text + ")>" + std::to_string(bytes_in_each_row) + ",'!'," +
                  packed.text + ")";
    return packed;
}

std::vector<Told> packed(const std::vector<Told>& rows, Dialect dialect) {
    const bool mysql = dialect == Dialect::mysql;
    std::vector<Told> made;
    std::vector<Told> of_table;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].role == ColumnRole::packed || rows[i].role == ColumnRole::packed_hex) {
            Told again = rows[i];
            again.text = mysql ? "group_concat(" + again.text + " separator ';')"
                               : "string_agg(" + again.text + ",';')";
            made.push_back(std::move(again));
            continue;
        }
        of_table.push_back(rows[i]);
        if (i + 1 == rows.size() || rows[i + 1].table != rows[i].table) {
            made.push_back(packed_rows(of_table, mysql));
            of_table.clear();
        }
    }
    return made;
}

}  // namespace isotap::sql
