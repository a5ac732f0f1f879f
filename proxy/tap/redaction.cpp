#include "proxy/tap/redaction.hpp"

#include "protocol/sql/lexer.hpp"

namespace isotap::proxy {
namespace {

using sql::TokenKind;

bool is_literal(TokenKind kind) noexcept {
    return kind == TokenKind::string || kind == TokenKind::integer || kind == TokenKind::decimal;
}

}  // namespace

std::string redacted(std::string_view statement, history::Dialect dialect) {
    sql::LexerState state;
    state.dialect = dialect;
    sql::Lexer lexer(statement, state);
    std::string text;
    text.reserve(statement.size());
    std::size_t done = 0;
    for (sql::Token token = lexer.next(); !token.is(TokenKind::end); token = lexer.next()) {
        if (token.begin > done && !text.empty()) {
            text += ' ';
        }
        done = token.end;
        // A backslash may end a literal earlier or later, by a setting that is not known here.
        const bool doubtful =
            token.is(TokenKind::string) && token.in(statement).find('\\') != std::string_view::npos;
        if (!lexer.sure() || token.is(TokenKind::broken) || doubtful) {
            return text + "…";
        }
        if (is_literal(token.kind)) {
            text += '?';
        } else {
            text += token.in(statement);
        }
    }
    return text;
}

}  // namespace isotap::proxy
