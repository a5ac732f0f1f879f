#include "protocol/sql/star_use.hpp"

#include <algorithm>

#include "protocol/sql/blocks.hpp"

namespace isotap::sql {
namespace {

bool covers(const Draft& draft, const Item& item, const Relation& relation) {
    if (item.block != relation.block || item.star == Star::none) {
        return false;
    }
    const TokenIndex star = item.all.last - 1;
    return item.star != Star::qualified || draft.name(star - 2) == draft.name(called(relation));
}

bool names_a_relation(const Structure& structure, TokenIndex token) {
    return std::any_of(structure.relations.begin(), structure.relations.end(),
                       [token](const Relation& relation) {
                           return relation.name == token || relation.alias == token;
                       }) ||
           std::any_of(structure.ctes.begin(), structure.ctes.end(),
                       [token](const Cte& cte) { return cte.name == token; }) ||
           std::any_of(structure.queries.begin(), structure.queries.end(),
                       [token](const Query& query) { return query.locking.holds(token); });
}

bool is_star_of_an_item(const Structure& structure, TokenIndex star) {
    return std::any_of(structure.items.begin(), structure.items.end(), [star](const Item& item) {
        return item.star == Star::qualified && item.all.last == star + 1;
    });
}

}  // namespace

StarUse star_over(const Draft& draft, const Relation& relation) {
    const Structure& structure = draft.structure;
    const Item* covering = nullptr;
    for (const Item& item : structure.items) {
        if (!covers(draft, item, relation)) {
            continue;
        }
        if (covering != nullptr) {
            return StarUse::among_others;
        }
        covering = &item;
    }
    if (covering == nullptr) {
        return StarUse::none;
    }
    const auto relations =
        std::count_if(structure.relations.begin(), structure.relations.end(),
                      [&](const Relation& one) { return one.block == relation.block; });
    const TokenIndex last = structure.blocks[relation.block][Clause::items].last;
    const bool behind_all =
        relations == 1 && covering->star != Star::composite && covering->all.last == last;
    return behind_all ? StarUse::behind_all : StarUse::among_others;
}

bool is_used_as_a_row(const Draft& draft, const Relation& relation) {
    const std::string name = draft.name(called(relation));
    const TokenList& tokens = draft.tokens;
    for (TokenIndex i = 0; i < tokens.size(); ++i) {
        const bool is_name = tokens[i].is(TokenKind::word) || tokens[i].is(TokenKind::quoted_name);
        if (!is_name || draft.name(i) != name) {
            continue;
        }
        if (tokens[i + 1].is(TokenKind::dot)) {
            if (tokens[i + 2].is(TokenKind::star) && !is_star_of_an_item(draft.structure, i + 2)) {
                return true;
            }
        } else if ((i == 0 || !tokens[i - 1].is(TokenKind::dot)) &&
                   !names_a_relation(draft.structure, i)) {
            return true;
        }
    }
    return false;
}

}  // namespace isotap::sql
