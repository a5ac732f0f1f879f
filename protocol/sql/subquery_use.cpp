#include "protocol/sql/subquery_use.hpp"

#include <algorithm>

namespace isotap::sql {
namespace {

/// The item of the select list, or else the clause, that a token stands in.
TokenRange surroundings(const Structure& structure, const Block& block, TokenIndex token) {
    for (const Item& item : structure.items) {
        if (item.block == structure.id_of(block) && item.all.holds(token)) {
            return item.all;
        }
    }
    for (const TokenRange& clause : block.clauses) {
        if (clause.holds(token)) {
            return clause;
        }
    }
    return {};
}

/// Behind such a word, or in front of it, an operand may be left unevaluated.
bool skips_operands(const Token& token, std::string_view text) noexcept {
    switch (token.keyword) {
        case Keyword::or_:
        case Keyword::xor_:
        case Keyword::case_:
        case Keyword::when:
        case Keyword::then:
        case Keyword::else_:
        case Keyword::end: return true;
        default: return text == "||";
    }
}

bool is_call(const Structure& structure, TokenIndex name) {
    return std::any_of(structure.calls.begin(), structure.calls.end(),
                       [name](const Call& call) { return call.name == name; });
}

bool is_match(const Token& before) noexcept {
    return before.is(Keyword::exists) || before.is(Keyword::in) || before.is(Keyword::any) ||
           before.is(Keyword::some);
}

}  // namespace

SubqueryUse use_of(const Draft& draft, QueryId id) {
    const Structure& structure = draft.structure;
    const Query& query = structure.queries[id];
    const Block& block = structure.blocks[query.parent];
    const TokenRange around = surroundings(structure, block, query.all.first);
    SubqueryUse use;
    use.in_list = block[Clause::items].holds(query.all.first);
    use.evaluated = !around.empty();
    const TokenIndex open = query.all.first - 1;
    use.matches = open > 0 && is_match(draft.tokens[open - 1]);
    std::size_t depth = 0;
    for (TokenIndex i = query.all.first; i-- > around.first;) {
        const Token& token = draft.tokens[i];
        if (token.is(TokenKind::close_paren)) {
            ++depth;
        } else if (token.is(TokenKind::open_paren)) {
            const bool leaves = depth == 0;
            depth -= leaves ? 0 : 1;
            const bool of_list = i != open && i > 0 && draft.tokens[i - 1].is(Keyword::in);
            use.evaluated =
                use.evaluated && !(leaves && i > 0 && (of_list || is_call(structure, i - 1)));
        } else if (depth == 0) {
            use.evaluated = use.evaluated && !skips_operands(token, draft.tokens.text(i));
            use.matches = use.matches && !token.is(Keyword::not_);
        }
    }
    depth = 0;
    for (TokenIndex i = query.all.last; i < around.last; ++i) {
        const Token& token = draft.tokens[i];
        if (token.is(TokenKind::open_paren)) {
            ++depth;
        } else if (token.is(TokenKind::close_paren)) {
            depth -= depth == 0 ? 0 : 1;
        } else if (depth == 0) {
            use.evaluated = use.evaluated && !skips_operands(token, draft.tokens.text(i));
        }
    }
    return use;
}

}  // namespace isotap::sql
