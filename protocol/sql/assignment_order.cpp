#include "protocol/sql/assignment_order.hpp"

#include <algorithm>
#include <string_view>

namespace isotap::sql {
namespace {

/// From here on the server joins the table with what IN reads, where it can.
constexpr std::uint32_t joins_subqueries = 110100;

bool is_joinable(const Draft& draft, const Block& block, const Query& query) {
    TokenIndex i = query.all.first;
    if (query.role != QueryRole::expression || !block[Clause::where].holds(i)) {
        return false;
    }
    while (draft.tokens[i - 1].is(TokenKind::open_paren)) {
        --i;
    }
    const Token& before = draft.tokens[i - 1];
    return before.is(Keyword::in) || before.is(Keyword::any) || before.is(Keyword::some);
}

/// It reads the table that is written, or a view, which may.
bool may_read(const Draft& draft, const Relation& relation, const Table& table) {
    std::string_view why;
    const Table* read = relation.kind == RelationKind::table ? draft.table(relation, why) : nullptr;
    return relation.kind == RelationKind::table && !draft.is_cte(relation) &&
           (read == nullptr || read->identity == table.identity);
}

}  // namespace

bool assigns_in_order(const Draft& draft, const Block& block, const Table& table) {
    const Structure& structure = draft.structure;
    const BlockId id = structure.id_of(block);
    const bool reads_itself = std::any_of(
        structure.relations.begin(), structure.relations.end(), [&](const Relation& relation) {
            return relation.block != id && may_read(draft, relation, table);
        });
    return !reads_itself &&
           (draft.state.server_version < joins_subqueries ||
            std::none_of(structure.queries.begin(), structure.queries.end(),
                         [&](const Query& query) { return is_joinable(draft, block, query); }));
}

}  // namespace isotap::sql
