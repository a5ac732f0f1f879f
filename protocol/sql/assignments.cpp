#include "protocol/sql/assignments.hpp"

#include <algorithm>

namespace isotap::sql {

bool assigns_any(const Draft& draft, TokenRange set, const std::vector<std::string>& columns) {
    bool target = true;  // in front of an equals sign
    std::size_t depth = 0;
    for (TokenIndex i = set.first + 1; i < set.last; ++i) {
        const Token& token = draft.tokens[i];
        if (target) {
            if (std::find(columns.begin(), columns.end(), draft.name(i)) != columns.end()) {
                return true;
            }
            target = !token.is(TokenKind::equals);
        } else if (token.is(TokenKind::open_paren) || token.is(TokenKind::open_bracket)) {
            ++depth;
        } else if (token.is(TokenKind::close_paren) || token.is(TokenKind::close_bracket)) {
            depth -= depth > 0 ? 1 : 0;
        } else {
            target = depth == 0 && token.is(TokenKind::comma);
        }
    }
    return false;
}

}  // namespace isotap::sql
