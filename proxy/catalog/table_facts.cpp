#include "proxy/catalog/table_facts.hpp"

#include <algorithm>

namespace isotap::proxy {
namespace {

using sql::TableKind;
using sql::VersionSource;

bool has(const std::vector<std::string>& columns, const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
}

/// Where writes cannot be followed, or reports might be refused, versions would lie or harm.
bool can_be_followed(const TableFacts& facts) {
    const bool stored = facts.kind == TableKind::ordinary || facts.kind == TableKind::partitioned;
    return stored && facts.readable && facts.transactional && !facts.inherits && !facts.has_rules &&
           !facts.row_security;
}

/// With a primary key whose text is the same for every session.
bool has_stable_key(const TableFacts& facts) {
    return !facts.key.empty() &&
           std::none_of(facts.key_text.begin(), facts.key_text.end(),
                        [](KeyText text) { return text == KeyText::unstable; });
}

/// Tables of PostgreSQL whose rows no key names. Those of partitions do not tell their place in
/// every write.
bool goes_by_place(const TableFacts& facts, Versions versions, history::Dialect dialect) {
    return dialect == history::Dialect::postgres && versions != Versions::columns &&
           facts.kind == TableKind::ordinary && !has_stable_key(facts);
}

VersionSource source_of(const TableFacts& facts, bool auxiliary, Versions versions,
                        history::Dialect dialect) {
    if (!can_be_followed(facts)) {
        return VersionSource::none;
    }
    const bool system_asked = versions != Versions::columns;
    if (dialect == history::Dialect::postgres && system_asked &&
        (has_stable_key(facts) || goes_by_place(facts, versions, dialect))) {
        return VersionSource::system;
    }
    return auxiliary && versions != Versions::system ? VersionSource::columns : VersionSource::none;
}

}  // namespace

sql::Table table_of(const TableFacts& facts, Versions versions, history::Dialect dialect) {
    sql::Table table;
    table.identity = facts.identity;
    table.kind = facts.kind;
    const bool auxiliary = has(facts.columns, table.row_id) && has(facts.columns, table.writers);
    for (const std::string& column : facts.columns) {
        if (!auxiliary || (column != table.row_id && column != table.writers)) {
            table.columns.push_back(column);
        }
    }
    table.generated = facts.generated;
    table.key = facts.key;
    table.indexed = facts.indexed;
    table.key_bytes = facts.key_bytes;
    table.source = source_of(facts, auxiliary, versions, dialect);
    table.by_place =
        table.source == VersionSource::system && goes_by_place(facts, versions, dialect);
    table.plain_key = !table.by_place &&
                      std::all_of(facts.key_text.begin(), facts.key_text.end(), [](KeyText text) {
                          return text == KeyText::plain || text == KeyText::bytes;
                      });
    table.shows_auxiliary = auxiliary && !facts.invisible_columns;
    table.is_part = facts.is_part;
    table.referenced_by = facts.referenced_by;
    table.auto_increment = facts.auto_increment;
    table.floats = facts.floats;
    table.short_values = facts.short_values;
    table.told_by_triggers = facts.told_by_triggers;
    table.has_triggers = facts.has_triggers;
    table.update_cascades = facts.update_cascades;
    table.delete_cascades = facts.delete_cascades;
    return table;
}

}  // namespace isotap::proxy
