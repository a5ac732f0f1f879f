#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/sql/catalog.hpp"

namespace isotap::sql {

/// A catalog of tables that a test spells out. Schemas are ignored.
class LiteralCatalog : public Catalog {
  public:
    Table& add(std::string name, VersionSource source, std::vector<std::string> columns,
               std::vector<std::string> key = {"id"}) {
        Table table;
        table.identity = "public." + name;
        table.source = source;
        table.columns = std::move(columns);
        table.key = std::move(key);
        table.plain_key = true;
        names_.push_back(std::move(name));
        tables_.push_back(std::move(table));
        return tables_.back();
    }

    [[nodiscard]] const Table* find(std::string_view /*schema*/,
                                    std::string_view name) const override {
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (names_[i] == name) {
                return &tables_[i];
            }
        }
        return nullptr;
    }

    [[nodiscard]] bool is_user_aggregate(std::string_view name) const override {
        return name == "my_sum";
    }

  private:
    std::vector<std::string> names_;
    std::vector<Table> tables_;
};

}  // namespace isotap::sql
