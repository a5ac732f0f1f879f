#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isotap/proxy/plan_outcome.hpp"

#include "protocol/sql/plan.hpp"
#include "protocol/sql/plan_source.hpp"
#include "proxy/catalog/known_database.hpp"

namespace isotap::proxy {

/// What is known of a context, shared by a plan book and its jobs.
struct KnownContext {
    sql::PlanContext context;
    std::shared_ptr<KnownDatabase> database;
};

struct PlanAnswer {
    /// Null: the plan that the asker has is still good.
    std::shared_ptr<const sql::Plan> plan;
    std::uint64_t generation = 0;  ///< of the database, when its tables were looked at
    PlanOutcome outcome = PlanOutcome::unchanged;

    /// Worth another try soon: it says little about the statement.
    [[nodiscard]] bool passing() const noexcept {
        return outcome != PlanOutcome::unchanged && outcome != PlanOutcome::proved &&
               outcome != PlanOutcome::unproved && outcome != PlanOutcome::refuted;
    }
};

/// A statement whose plan is wanted.
struct PlanJob {
    std::shared_ptr<const KnownContext> where;
    std::string text;
    sql::LexerState lexing;
    std::vector<std::uint32_t> parameter_types{};  ///< of the first parameters; 0: not said
    std::uint64_t had = 0;  ///< generation of the plan that the asker has; 0: none
    /// Called once, on the catalog thread.
    std::function<void(PlanAnswer)> answer;
};

/// A plan that adds nothing. `reason` must be a literal.
inline std::shared_ptr<const sql::Plan> opaque_plan(std::string_view reason) {
    auto plan = std::make_shared<sql::Plan>();
    plan->reason = reason;
    return plan;
}

}  // namespace isotap::proxy
