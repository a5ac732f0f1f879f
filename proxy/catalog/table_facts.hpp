#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isotap/proxy/options.hpp"

#include "protocol/sql/catalog.hpp"

namespace isotap::proxy {

/// How the text of a key's type can be used to name a row.
enum class KeyText : std::uint8_t {
    plain,     ///< digits, hex: never any of `,;=*`
    bytes,     ///< not its text, but its bytes in hex, see `TableFacts::key_bytes`
    any,       ///< the same for everybody, whatever is in it
    unstable,  ///< another text under another setting (DateStyle, TimeZone …)
};

/// What a server says about a table, before anybody has decided what to do with it.
struct TableFacts {
    std::string identity;  ///< schema.name; of a partition: of the table whose key it shares
    sql::TableKind kind = sql::TableKind::other;
    std::vector<std::string> columns;    ///< all of them
    std::vector<std::string> generated;  ///< see sql::Table
    std::vector<std::string> key;
    std::optional<std::vector<std::string>> indexed;  ///< see sql::Table
    std::vector<KeyText> key_text;
    std::vector<std::string> key_bytes;  ///< functions, for parts that are `KeyText::bytes`
    std::string auto_increment;
    std::vector<std::string> floats;  ///< see sql::Table
    std::vector<std::string> short_values;
    bool invisible_columns = false;  ///< auxiliary ones are INVISIBLE
    bool inherits = false;           ///< PostgreSQL: parent or child, and no partition
    bool has_rules = false;          ///< what is written is not what the statement says
    bool has_triggers = false;       ///< see sql::Table
    bool row_security = false;       ///< RETURNING may be refused where the write is not
    bool readable = true;            ///< the user may read all columns
    bool transactional = true;
    bool is_part = false;  ///< see sql::Table
    std::vector<std::string> referenced_by;
    bool told_by_triggers = false;  ///< see sql::Table
    bool update_cascades = false;   ///< see sql::Table
    bool delete_cascades = false;
};

/// What the planner is told about it.
sql::Table table_of(const TableFacts& facts, Versions versions, history::Dialect dialect);

/// Schema and name as a statement spells them, without quotes; the schema may be empty.
using TableName = std::pair<std::string, std::string>;

/// The tables that one statement names, and the user's aggregates among its calls.
class StatementCatalog final : public sql::Catalog {
  public:
    void add(const TableName& name, sql::Table table) { tables_[name] = std::move(table); }
    void add_aggregate(std::string name) { aggregates_.insert(std::move(name)); }

    [[nodiscard]] const sql::Table* find(std::string_view schema,
                                         std::string_view name) const override {
        const auto found = tables_.find({std::string(schema), std::string(name)});
        return found == tables_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] bool is_user_aggregate(std::string_view name) const override {
        return aggregates_.contains(name);
    }

  private:
    std::map<TableName, sql::Table> tables_;
    std::set<std::string, std::less<>> aggregates_;
};

}  // namespace isotap::proxy
