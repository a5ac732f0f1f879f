#include "proxy/catalog/plan_maker.hpp"

#include <utility>

#include "protocol/sql/name.hpp"
#include "protocol/sql/planner.hpp"

namespace isotap::proxy {
namespace {

/// Names without versions stand for the stamp in a proof: any text of the length will do.
constexpr std::string_view stamp_of_proof = "'T0'";

NamesAsked names_of(const sql::TokenList& tokens, const sql::Structure& structure,
                    sql::Dialect dialect) {
    const auto name = [&](sql::TokenIndex token) {
        return token == sql::no_token ? std::string() : sql::name_of(tokens.text(token), dialect);
    };
    NamesAsked names;
    for (const sql::Relation& relation : structure.relations) {
        if (relation.kind == sql::RelationKind::table && relation.name != sql::no_token) {
            names.tables.emplace_back(name(relation.schema), name(relation.name));
        }
    }
    for (const sql::Call& call : structure.calls) {
        names.calls.push_back(name(call.name));
    }
    names.referencing = structure.kind == sql::StatementKind::ddl;
    return names;
}

PlanAnswer refused(const Trouble& trouble, std::string& detail) {
    detail = trouble.detail;
    return {opaque_plan(trouble.reason), 0, trouble.outcome};
}

/// The plan, if it is one that the server takes and no client sees.
PlanAnswer proved(const sql::Plan& made, const PlanJob& job, const sql::TokenList& tokens,
                  sql::StatementKind kind, SideConnection& side, std::string& trouble) {
    auto plan = std::make_shared<sql::Plan>(made);
    plan->text_max = side.text_max();
    if (!plan->rewrites()) {
        return {std::move(plan), 0, PlanOutcome::unchanged};
    }
    std::string rewritten;
    sql::apply(*plan, tokens, stamp_of_proof, rewritten);
    if (rewritten.size() >= plan->text_max) {
        return refused({PlanOutcome::not_prepared, "statement too long", {}}, trouble);
    }
    if (kind == sql::StatementKind::load) {
        // No server prepares it. Where one refuses our text, the client's own goes.
        return {std::move(plan), 0, PlanOutcome::unproved};
    }
    const bool by_itself = plan->shown_by.original.empty();
    const std::string& original = by_itself ? job.text : plan->shown_by.original;
    const std::string& changed = by_itself ? rewritten : plan->shown_by.rewritten;
    if (const auto shown = side.prove({original, changed, *plan, job.parameter_types}); !shown) {
        return refused(shown.error(), trouble);
    }
    return {std::move(plan), 0, PlanOutcome::proved};
}

}  // namespace

PlanAnswer make_proved_plan(const PlanJob& job, Versions versions, SideConnection& side,
                            std::string& trouble) {
    if (const auto entered = side.enter(job.where->context, job.lexing); !entered) {
        return refused(entered.error(), trouble);
    }
    sql::TokenList tokens;
    tokens.read(job.text, job.lexing);
    sql::Structure structure;
    sql::parse(tokens, job.lexing, structure);
    const auto known = side.look_up(names_of(tokens, structure, job.lexing.dialect));
    if (!known) {
        return refused(known.error(), trouble);
    }
    StatementCatalog catalog;
    for (const auto& [name, facts] : known->tables) {
        catalog.add(name, table_of(facts, versions, job.lexing.dialect));
    }
    for (const std::string& aggregate : known->aggregates) {
        catalog.add_aggregate(aggregate);
    }
    sql::PlannerOptions options;
    options.postgres_version = side.postgres_version();
    const sql::Plan made = sql::make_plan(tokens, structure, job.lexing, catalog, options);
    PlanAnswer answer = proved(made, job, tokens, structure.kind, side, trouble);
    if (!made.otherwise || answer.passing()) {
        return answer;
    }
    PlanAnswer otherwise = proved(*made.otherwise, job, tokens, structure.kind, side, trouble);
    if (answer.outcome != PlanOutcome::proved) {
        return otherwise;
    }
    auto both = std::make_shared<sql::Plan>(*answer.plan);
    both->otherwise = otherwise.plan;
    return {std::move(both), 0, PlanOutcome::proved};
}

}  // namespace isotap::proxy
