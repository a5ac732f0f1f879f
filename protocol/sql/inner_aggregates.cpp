#include "protocol/sql/inner_aggregates.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "protocol/sql/blocks.hpp"
#include "protocol/sql/letter_case.hpp"

namespace isotap::sql {
namespace {

/// An unqualified column of a table of the block, or the name that one goes by there.
bool names_something_in(const Draft& draft, BlockId block, TokenIndex token) {
    const std::string name = draft.name(token);
    return std::any_of(draft.structure.relations.begin(), draft.structure.relations.end(),
                       [&](const Relation& relation) {
                           if (relation.block != block || called(relation) == no_token) {
                               return false;
                           }
                           if (draft.tokens[token + 1].is(TokenKind::dot)) {
                               return same_word(draft.name(called(relation)), name);
                           }
                           std::string_view why;
                           const Table* table = draft.table(relation, why);
                           return table != nullptr &&
                                  std::any_of(table->columns.begin(), table->columns.end(),
                                              [&name](const std::string& column) {
                                                  return same_word(column, name);
                                              });
                       });
}

/// An aggregate is of the innermost block that it names a column of; without a name, of its own.
bool is_of_its_own_block(const Draft& draft, const Call& call) {
    bool names = false;
    std::size_t depth = 0;
    for (TokenIndex i = call.name + 1; i < draft.tokens.size(); ++i) {
        const Token& token = draft.tokens[i];
        depth += token.is(TokenKind::open_paren) ? 1 : 0;
        depth -= token.is(TokenKind::close_paren) ? 1 : 0;
        if (depth == 0) {
            return !names;
        }
        if (token.is(Keyword::select)) {
            return false;  // whose names its columns are is not asked
        }
        const bool qualified = draft.tokens[i - 1].is(TokenKind::dot);
        if (!qualified && (token.is(TokenKind::word) || token.is(TokenKind::quoted_name))) {
            if (names_something_in(draft, call.block, i)) {
                return true;
            }
            names = names || !token.is(Keyword::distinct);
        }
    }
    return false;
}

}  // namespace

bool hides_an_aggregate(const Draft& draft, BlockId block) {
    const Structure& structure = draft.structure;
    return std::any_of(structure.blocks.begin(), structure.blocks.end(), [&](const Block& inner) {
        const Query& query = structure.queries[inner.query];
        const BlockId id = structure.id_of(inner);
        return query.role == QueryRole::expression && query.parent == block &&
               draft.aggregates(id) &&
               !std::all_of(structure.calls.begin(), structure.calls.end(), [&](const Call& call) {
                   return call.block != id || call.window || is_of_its_own_block(draft, call);
               });
    });
}

}  // namespace isotap::sql
