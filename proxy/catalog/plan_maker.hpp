#pragma once

#include "proxy/catalog/plan_job.hpp"
#include "proxy/catalog/side_connection.hpp"

namespace isotap::proxy {

/// Makes the plan of a statement and proves it; blocks while the server is asked. What cannot be
/// had becomes a plan that adds nothing and says why. `generation` of the answer is left to the
/// caller.
PlanAnswer make_proved_plan(const PlanJob& job, Versions versions, SideConnection& side,
                            std::string& trouble);

}  // namespace isotap::proxy
