#include "protocol/sql/planner.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "protocol/sql/draft.hpp"
#include "protocol/sql/untold.hpp"

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

/// TRUNCATE needs a plan although it changes nothing in the text.
bool empties_tables(const TokenList& tokens) noexcept {
    return tokens[0].is(Keyword::truncate);
}

bool mentions(const TokenList& tokens, Keyword keyword) noexcept {
    for (TokenIndex at = 0; at < tokens.size(); ++at) {
        if (tokens[at].is(keyword)) {
            return true;
        }
    }
    return false;
}

bool copies_rows(const Structure& structure, const LexerState& state) noexcept {
    return structure.kind == StatementKind::copy && state.dialect == Dialect::postgres;
}

/// What is neither a query nor a write of rows that a text names.
void plan_other(Draft& draft) {
    if (empties_tables(draft.tokens)) {
        plan_truncate(draft);
        return;
    }
    if (copies_rows(draft.structure, draft.state)) {
        plan_copy(draft);
        return;
    }
    std::string_view why;
    if (draft.state.dialect == Dialect::mysql) {
        why = why_untold_on_mysql(draft.tokens);
    } else if (draft.structure.kind == StatementKind::explain) {
        why = "explain";
    } else if (draft.structure.kind == StatementKind::call) {
        why = "call";
    }
    if (why.empty()) {
        draft.plan.coverage = history::Coverage::none;
    } else {
        draft.opaque(why);
    }
}

void plan_by_kind(Draft& draft) {
    switch (draft.structure.kind) {
        case StatementKind::select: plan_select(draft); break;
        case StatementKind::insert:
        case StatementKind::replace:
        case StatementKind::update:
        case StatementKind::remove:
        case StatementKind::load:
        case StatementKind::merge: plan_write(draft); break;
        default: plan_other(draft);
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

bool may_be_rewritten(StatementKind kind) {
    switch (kind) {
        case StatementKind::select:
        case StatementKind::insert:
        case StatementKind::replace:
        case StatementKind::update:
        case StatementKind::remove:
        case StatementKind::load:
        case StatementKind::merge: return true;
        default: return false;
    }
}

}  // namespace

std::optional<Plan> plan_without_catalog(const TokenList& tokens, const LexerState& state) {
    Structure structure;
    parse(tokens, state, structure);
    const bool copies = copies_rows(structure, state) && !mentions(tokens, Keyword::from);
    const bool asks = may_be_rewritten(structure.kind) || empties_tables(tokens) || copies;
    if (structure.sure() && asks && !structure.relations.empty()) {
        return std::nullopt;
    }
    return make_plan(tokens, structure, state, NoTables{}, {});
}

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
    Plan plan = draft.finish();
    if (draft.reads_twice) {
        PlannerOptions once = options;
        once.reads_twice = false;
        plan.otherwise =
            std::make_shared<const Plan>(make_plan(tokens, structure, state, catalog, once));
    }
    return plan;
}

}  // namespace isotap::sql
