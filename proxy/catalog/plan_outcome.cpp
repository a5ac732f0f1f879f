#include "isotap/proxy/plan_outcome.hpp"

namespace isotap::proxy {

std::string_view to_string(PlanOutcome outcome) noexcept {
    switch (outcome) {
        case PlanOutcome::unchanged: return "unchanged";
        case PlanOutcome::proved: return "proved";
        case PlanOutcome::unproved: return "unproved";
        case PlanOutcome::refuted: return "refuted";
        case PlanOutcome::not_prepared: return "not_prepared";
        case PlanOutcome::locked: return "locked";
        case PlanOutcome::not_as_user: return "not_as_user";
        case PlanOutcome::no_connection: return "no_connection";
        case PlanOutcome::too_many: return "too_many";
    }
    return "unknown";
}

}  // namespace isotap::proxy
