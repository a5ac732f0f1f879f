#include "protocol/sql/planner.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "protocol/sql/draft.hpp"

namespace isotap::sql {
namespace {

void plan_write(Draft& draft) {
    if (draft.structure.single_block() == nullptr) {
        draft.opaque("nested statement");
    } else if (draft.state.dialect == Dialect::mysql) {
        draft.structure.kind == StatementKind::merge ? draft.opaque("MERGE")
                                                     : plan_mysql_write(draft);
    } else {
        plan_postgres_write(draft);
    }
}

void plan_by_kind(Draft& draft) {
    switch (draft.structure.kind) {
        case StatementKind::select: plan_select(draft); break;
        case StatementKind::insert:
        case StatementKind::replace:
        case StatementKind::update:
        case StatementKind::remove: plan_write(draft); break;
        case StatementKind::merge: plan_write(draft); break;
        case StatementKind::copy: draft.opaque("copy"); break;
        case StatementKind::explain: draft.opaque("explain"); break;
        case StatementKind::call: draft.opaque("call"); break;
        case StatementKind::none:
        case StatementKind::ddl:
        case StatementKind::other: draft.plan.coverage = history::Coverage::none; break;
    }
}

/// A function in FROM that makes rows of what it is given.
bool makes_rows_of_its_own(const Draft& draft, const Relation& relation) {
    constexpr std::array<std::string_view, 3> known{"unnest", "generate_series",
                                                    "generate_subscripts"};
    return relation.kind == RelationKind::function && relation.name != no_token &&
           draft.state.dialect == Dialect::postgres &&
           std::find(known.begin(), known.end(), draft.name(relation.name)) != known.end();
}

/// Drivers and tools ask the server's catalogs all the time; no transaction depends on the answers
/// by way of an application's rows.
bool reads_only_the_servers_own(const Draft& draft) {
    bool reads = false;
    for (const Relation& relation : draft.structure.relations) {
        if (relation.kind == RelationKind::derived || draft.is_cte(relation) ||
            makes_rows_of_its_own(draft, relation)) {
            continue;
        }
        const Table* table =
            relation.kind != RelationKind::table
                ? nullptr
                : draft.catalog.find(draft.name(relation.schema), draft.name(relation.name));
        if (relation.role != RelationRole::read || table == nullptr ||
            table->kind != TableKind::system) {
            return false;
        }
        reads = true;
    }
    return reads;
}

}  // namespace

Plan make_plan(const TokenList& tokens, const Structure& structure, const LexerState& state,
               const Catalog& catalog, const PlannerOptions& options) {
    Draft draft(tokens, structure, state, catalog, options);
    if (!structure.sure()) {
        draft.opaque(structure.doubt);
        return draft.finish();
    }
    if (reads_only_the_servers_own(draft)) {
        draft.plan.coverage = history::Coverage::none;
        return draft.finish();
    }
    plan_by_kind(draft);
    hide_auxiliary(draft);
    return draft.finish();
}

}  // namespace isotap::sql
