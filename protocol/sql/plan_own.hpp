#pragma once

#include "protocol/sql/plan.hpp"
#include "protocol/sql/planner.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::sql {

/// The plan of an INSERT, UPDATE or DELETE of PostgreSQL whose target the open transaction has made
/// itself, an ordinary table that nobody else can see before it has committed. No other transaction
/// has a part in these rows; who meets them later has to know who wrote them, so all that the
/// statement must tell is what the server calls its transaction. Needs no catalog and no proof: the
/// table has no rules, and its maker may do everything to it. Opaque for any other statement.
Plan make_plan_for_own_table(const TokenList& tokens, const Structure& structure,
                             const LexerState& state, const PlannerOptions& options);

}  // namespace isotap::sql
