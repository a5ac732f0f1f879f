#include "protocol/sql/blocks.hpp"

#include <algorithm>

namespace isotap::sql {
namespace {

/// `visit(query)` for the query and those in parentheses that are its arms.
template <class Visit>
void for_each_level(const Structure& structure, QueryId query, Visit visit) {
    visit(structure.queries[query]);
    BlockId arm = structure.queries[query].body;
    while (arm != no_node) {
        const Block& block = structure.blocks[arm];
        if (block.kind == BlockKind::nested && block.nested != no_node) {
            for_each_level(structure, block.nested, visit);
        }
        arm = block.next_arm;
    }
}

}  // namespace

std::vector<BlockId> arms_of(const Structure& structure, QueryId query) {
    std::vector<BlockId> arms;
    BlockId arm = structure.queries[query].body;
    while (arm != no_node) {
        const Block& block = structure.blocks[arm];
        if (block.kind == BlockKind::nested && block.nested != no_node) {
            const std::vector<BlockId> inner = arms_of(structure, block.nested);
            arms.insert(arms.end(), inner.begin(), inner.end());
        } else {
            arms.push_back(arm);
        }
        arm = block.next_arm;
    }
    return arms;
}

bool has_other_set_operation(const Structure& structure, QueryId query) {
    bool found = false;
    for_each_level(structure, query, [&found](const Query& level) {
        found = found || level.operation == SetOperation::other;
    });
    return found;
}

bool has_limit(const Structure& structure, QueryId query) {
    bool found = false;
    for_each_level(structure, query,
                   [&found](const Query& level) { found = found || !level.limit.empty(); });
    return found;
}

bool only_exists(const Draft& draft, QueryId query) {
    const Query& one = draft.structure.queries[query];
    return one.all.first >= 2 && draft.tokens[one.all.first - 2].is(Keyword::exists) &&
           one.limit.size() == 2 && draft.tokens[one.limit.first].is(Keyword::limit) &&
           draft.tokens[one.limit.first + 1].is(TokenKind::integer);
}

bool reads_tables(const Structure& structure, QueryId query) {
    const TokenRange all = structure.queries[query].all;
    return std::any_of(
        structure.relations.begin(), structure.relations.end(), [all](const Relation& relation) {
            return relation.kind == RelationKind::table && all.holds(relation.all.first);
        });
}

bool is_grouped(const Draft& draft, BlockId block) {
    const Block& one = draft.structure.blocks[block];
    return one.has(Clause::group_by) || one.has(Clause::having) || draft.aggregates(block);
}

TokenIndex called(const Relation& relation) noexcept {
    return relation.alias != no_token ? relation.alias : relation.name;
}

bool shares_its_name(const Draft& draft, const Relation& relation) {
    return std::count_if(draft.structure.relations.begin(), draft.structure.relations.end(),
                         [&](const Relation& other) {
                             return other.block == relation.block && called(other) != no_token &&
                                    draft.name(called(other)) == draft.name(called(relation));
                         }) > 1;
}

}  // namespace isotap::sql
