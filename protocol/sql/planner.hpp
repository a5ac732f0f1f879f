#pragma once

#include <cstdint>
#include <optional>

#include "protocol/sql/catalog.hpp"
#include "protocol/sql/plan.hpp"
#include "protocol/sql/structure.hpp"

namespace isotap::sql {

struct PlannerOptions {
    std::uint32_t postgres_version = 150000;  ///< as server_version_num: 18 and later know `old`
    std::uint32_t wlist_entries = 16;         ///< writers that a row remembers; 0: all
    bool reads_twice = true;                  ///< see `Plan::otherwise`
};

/// Decides how the statements of one shape are captured, and how their text changes for it. Pure:
/// the same input gives the same plan. Not for the relay path: once per shape; it allocates.
///
/// A plan that adds anything must be proved on a side connection before it is used: types, grants
/// and user-made operators are known to the server only.
Plan make_plan(const TokenList& tokens, const Structure& structure, const LexerState& state,
               const Catalog& catalog, const PlannerOptions& options);

/// The plan of a statement that no catalog is needed for: it touches no table, or is one of a kind
/// that is never rewritten. Nothing for all others. Pure, and quick enough for a relay thread.
std::optional<Plan> plan_without_catalog(const TokenList& tokens, const LexerState& state);

}  // namespace isotap::sql
