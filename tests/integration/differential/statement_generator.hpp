#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/differential/chooser.hpp"
#include "tests/integration/differential/differential_schema.hpp"

namespace isotap::test {

/// A statement, or a few in one text, and how to look at the answer.
struct GeneratedStatement {
    std::string text;
    std::vector<std::string> values{};  ///< of its parameters
    bool ordered = false;               ///< its rows come in one order only
    bool copies_in = false;             ///< rows are to be sent behind it
    bool several = false;               ///< statements: only a Query can hold them
};

/// Statements over `differential_schema`, one after the other: most of them valid, all of them with
/// one answer only. The same for the same seed. Not thread-safe.
class StatementGenerator : private Chooser {
  public:
    explicit StatementGenerator(std::uint64_t seed) : Chooser(seed) {}

    GeneratedStatement next();

  private:
    struct InScope {
        std::string alias;
        const GeneratedTable* table = nullptr;
    };
    using Scope = std::vector<InScope>;

    const GeneratedTable& any_table(bool views);
    InScope scoped(const GeneratedTable& table);
    std::string literal(ColumnType type);
    std::string value(ColumnType type, const Scope& scope, int depth);
    std::string column(ColumnType type, const Scope& scope);
    std::string condition(const Scope& scope, int depth);
    std::string subquery(const Scope& scope, int depth);

    std::string from(Scope& scope, int depth);
    std::string select_list(const Scope& scope, std::size_t& columns);
    std::string select(int depth, bool ordered);
    std::string grouped(const Scope& scope, const std::string& source);
    std::string set_operation(int depth);
    std::string with(int depth);
    GeneratedStatement query();
    std::string locking();

    std::string returning(const Scope& scope);
    std::string assignments(const GeneratedTable& table, const Scope& scope);
    std::string insert();
    std::string update();
    std::string remove();
    std::string merge();
    std::string write();
    std::string copy_options();
    std::string copied_table();
    GeneratedStatement copy();
    std::string schema_change();
    std::string control();
    std::string cursor();
    std::string prepared();
    std::string recursive();
    std::string wrong();

    std::vector<std::string> values_;
    bool parameters_ = false;
    int names_ = 0;
};

}  // namespace isotap::test
