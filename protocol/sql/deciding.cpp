#include "protocol/sql/deciding.hpp"

#include <vector>

namespace isotap::sql {
namespace {

/// What AND joins, outside of parentheses; one range where OR stands there as well.
std::vector<TokenRange> conjuncts(const Draft& draft, TokenRange where) {
    std::vector<TokenRange> parts;
    TokenIndex begin = where.first;
    std::size_t depth = 0;
    bool between = false;
    for (TokenIndex at = where.first; at < where.last; ++at) {
        const Token& token = draft.tokens[at];
        if (token.is(TokenKind::open_paren)) {
            ++depth;
        } else if (token.is(TokenKind::close_paren)) {
            depth -= depth > 0 ? 1 : 0;
        } else if (depth > 0) {
            continue;
        } else if (token.is(Keyword::or_)) {
            return {where};
        } else if (token.is(Keyword::between)) {
            between = true;
        } else if (token.is(Keyword::and_)) {
            if (!between) {
                parts.push_back({begin, at});
                begin = at + 1;
            }
            between = false;
        }
    }
    parts.push_back({begin, where.last});
    return parts;
}

/// `EXISTS (…)` itself, negated or not: it decides in any case.
bool is_bare(const Draft& draft, TokenRange part, TokenRange exists) {
    for (TokenIndex at = part.first; at < part.last; ++at) {
        const Token& token = draft.tokens[at];
        if (!exists.holds(at) && !token.is(Keyword::not_) && !token.is(TokenKind::open_paren) &&
            !token.is(TokenKind::close_paren)) {
            return false;
        }
    }
    return true;
}

void add_with(Quoting& text, TokenRange part, TokenRange exists, std::string_view value) {
    text.add("((");
    text.quote({part.first, exists.first});
    text.add(value);
    text.quote({exists.last, part.last});
    text.add(") is true)");
}

}  // namespace

TokenRange exists_around(const Draft& draft, QueryId query) {
    constexpr TokenIndex in_front = 2;  // EXISTS and a parenthesis
    const TokenRange all = draft.structure.queries[query].all;
    if (all.first < in_front || !draft.tokens[all.first - in_front].is(Keyword::exists) ||
        !draft.tokens[all.first - 1].is(TokenKind::open_paren) ||
        !draft.tokens[all.last].is(TokenKind::close_paren)) {
        return {};
    }
    return {all.first - in_front, all.last + 1};
}

Quoting where_it_decides(const Draft& draft, TokenRange where, TokenRange exists) {
    Quoting text;
    text.add(" where true");
    for (const TokenRange& part : conjuncts(draft, where)) {
        if (!part.holds(exists.first)) {
            text.add(" and ");
            text.quote(part);
        } else if (!is_bare(draft, part, exists)) {
            text.add(" and ");
            add_with(text, part, exists, " true ");
            text.add(" is distinct from ");
            add_with(text, part, exists, " false ");
        }
    }
    return text;
}

}  // namespace isotap::sql
