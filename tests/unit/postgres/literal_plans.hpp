#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/sql/plan_source.hpp"
#include "protocol/sql/planner.hpp"
#include "tests/unit/sql/literal_catalog.hpp"

namespace isotap::postgres::test {

/// Plans over tables that a test spells out, made on the spot and proved by nobody.
class LiteralPlans : public sql::PlanSource {
  public:
    explicit LiteralPlans(std::uint32_t postgres_version = 150000) {
        options_.postgres_version = postgres_version;
    }

    sql::LiteralCatalog catalog;
    bool slow = false;  ///< a plan is there only for who insists
    bool none = false;  ///< no statement is captured, nor known to be worth it
    int schema_changes = 0;
    std::vector<sql::PlanContext> contexts;
    int questions = 0;

    [[nodiscard]] sql::ContextId context(const sql::PlanContext& context) override {
        contexts.push_back(context);
        return sql::ContextId{static_cast<std::uint32_t>(contexts.size() - 1)};
    }

    [[nodiscard]] std::shared_ptr<const sql::Plan> find(const sql::PlanQuestion& question,
                                                        bool insist) override {
        ++questions;
        if (slow && !insist) {
            return nullptr;
        }
        if (none) {
            return std::make_shared<const sql::Plan>();
        }
        sql::parse(question.tokens, question.lexing, structure_);
        return std::make_shared<const sql::Plan>(
            sql::make_plan(question.tokens, structure_, question.lexing, catalog, options_));
    }

    void on_schema_changed(sql::ContextId /*context*/) noexcept override { ++schema_changes; }

  private:
    sql::PlannerOptions options_;
    sql::Structure structure_;
};

}  // namespace isotap::postgres::test
