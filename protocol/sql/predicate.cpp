#include "protocol/sql/predicate.hpp"

#include <algorithm>
#include <array>

namespace isotap::sql {
namespace {

/// The one relation of a block that rows come from; null if there are several.
const Relation* only_relation(const Structure& structure, BlockId block) noexcept {
    const Relation* found = nullptr;
    for (const Relation& relation : structure.relations) {
        if (relation.block != block || relation.role == RelationRole::ddl) {
            continue;
        }
        if (found != nullptr || relation.kind != RelationKind::table || relation.renames_columns ||
            relation.sampled) {
            return nullptr;
        }
        found = &relation;
    }
    return found;
}

bool is_system_column(std::string_view word) noexcept {
    constexpr std::array<std::string_view, 6> columns{"xmin", "xmax", "cmin",
                                                      "cmax", "ctid", "tableoid"};
    return std::find(columns.begin(), columns.end(), word) != columns.end();
}

}  // namespace

PredicateDoubt predicate_of(const TokenList& tokens, const Structure& structure,
                            const LexerState& state, Predicate& predicate) noexcept {
    if (!structure.sure()) {
        return PredicateDoubt::unsure;
    }
    const Block* block = structure.single_block();
    if (block == nullptr || block->multi_table || !structure.ctes.empty() ||
        (block->kind != BlockKind::select && block->kind != BlockKind::update &&
         block->kind != BlockKind::remove)) {
        return PredicateDoubt::not_one_table;
    }
    const Relation* relation = only_relation(structure, structure.id_of(*block));
    if (relation == nullptr) {
        return PredicateDoubt::not_one_table;
    }
    if (block->current_of) {
        return PredicateDoubt::cursor;
    }
    TokenRange condition = (*block)[Clause::where];
    Predicate found;
    if (!condition.empty()) {
        ++condition.first;
    }
    for (const Query& query : structure.queries) {
        if (condition.holds(query.all.first)) {
            return PredicateDoubt::subquery;
        }
    }
    for (TokenIndex i = condition.first; i < condition.last; ++i) {
        if (state.dialect == Dialect::postgres && is_system_column(tokens.text(i))) {
            return PredicateDoubt::system_column;
        }
        found.has_parameters = found.has_parameters || tokens[i].is(TokenKind::parameter);
    }
    found.condition = tokens.text(condition);
    found.name = tokens.text(relation->alias != no_token ? relation->alias : relation->name);
    found.relation = static_cast<RelationId>(relation - structure.relations.data());
    predicate = found;
    return PredicateDoubt::none;
}

}  // namespace isotap::sql
