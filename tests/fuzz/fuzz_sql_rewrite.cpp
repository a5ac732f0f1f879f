// Any statement, over tables of every kind: a plan that adds nothing gives the same bytes, an
// unsure structure is never rewritten, and positions in the rewritten text map back, in order.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/sql/planner.hpp"
#include "protocol/sql/shape.hpp"
#include "tests/fuzz/sql_input.hpp"

namespace {

namespace sql = isotap::sql;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// A table for every name; the first letter chooses what it is.
class AnyTable : public sql::Catalog {
  public:
    [[nodiscard]] const sql::Table* find(std::string_view /*schema*/,
                                         std::string_view name) const override {
        const unsigned choice = name.empty() ? 0U : static_cast<unsigned char>(name.front());
        table_ = sql::Table{};
        table_.identity = name;
        table_.source = choice % 3 == 0 ? sql::VersionSource::columns : sql::VersionSource::system;
        table_.shows_auxiliary = table_.source == sql::VersionSource::columns;
        table_.kind = choice % 7 == 0 ? sql::TableKind::partitioned : sql::TableKind::ordinary;
        table_.key = {"id"};
        table_.columns = {"id", "v"};
        return &table_;
    }
    [[nodiscard]] bool is_user_aggregate(std::string_view /*name*/) const override { return false; }

  private:
    mutable sql::Table table_;
};

/// Positions map back in order, and never out of the client's text.
void check_positions(const sql::Plan& plan, const sql::TokenList& tokens, std::size_t length,
                     std::string_view stamp) {
    std::size_t last = 0;
    for (std::size_t i = 0; i <= length; ++i) {
        const std::size_t original = sql::original_offset(plan, tokens, stamp, i);
        require(last <= original && original <= tokens.text().size());
        last = original;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = sql::fuzz_input({data, size});
    static sql::TokenList tokens;
    static sql::Structure structure;
    static std::string out;
    tokens.read(input.text, input.state);
    sql::parse(tokens, input.state, structure);
    require(sql::fingerprint(tokens, input.state, 1) == sql::fingerprint(tokens, input.state, 1));

    sql::apply(sql::Plan{}, tokens, "", out);
    require(out == input.text);

    const AnyTable catalog;
    const sql::Plan plan = sql::make_plan(tokens, structure, input.state, catalog, {});
    sql::apply(plan, tokens, "'T5.1'", out);
    require(plan.rewrites() || out == input.text);
    require(plan.rewrites() || plan.added.empty());
    require(structure.sure() || !plan.rewrites());
    for (const sql::AddedColumn& column : plan.added) {
        require(column.table == sql::AddedColumn::no_table || column.table < plan.tables.size());
    }
    if (out.size() < 20000) {
        check_positions(plan, tokens, out.size(), "'T5.1'");
    }
    return 0;
}
