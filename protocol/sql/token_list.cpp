#include "protocol/sql/token_list.hpp"

#include "protocol/sql/lexer.hpp"

namespace isotap::sql {

void TokenList::read(std::string_view statement, const LexerState& state) {
    text_ = statement;
    tokens_.clear();
    Lexer lexer(statement, state);
    Token token = lexer.next();
    while (!token.is(TokenKind::end) && !token.is(TokenKind::semicolon) &&
           tokens_.size() < most_tokens) {
        // What follows a dot is a name, whatever it spells.
        if (!tokens_.empty() && tokens_.back().is(TokenKind::dot)) {
            token.keyword = Keyword::none;
        }
        tokens_.push_back(token);
        if (token.is(TokenKind::broken)) {
            break;
        }
        token = lexer.next();
    }
    const bool whole =
        token.is(TokenKind::semicolon) ? lexer.next().is(TokenKind::end) : token.is(TokenKind::end);
    sure_ = lexer.sure() && whole;
    tokens_.push_back({token.begin, token.begin, TokenKind::end, Keyword::none});
}

std::string_view TokenList::text(TokenRange range) const noexcept {
    if (range.empty()) {
        return {};
    }
    const std::size_t begin = (*this)[range.first].begin;
    return text_.substr(begin, (*this)[range.last - 1].end - begin);
}

}  // namespace isotap::sql
