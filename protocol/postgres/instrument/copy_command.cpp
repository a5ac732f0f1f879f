#include "protocol/postgres/instrument/copy_command.hpp"

#include "protocol/postgres/instrument/copy_options.hpp"

namespace isotap::postgres::instrument {

using sql::Keyword;
using sql::TokenIndex;
using sql::TokenKind;
using sql::TokenList;

namespace {

/// The token behind the parenthesis that closes the one at `open`.
TokenIndex behind_parentheses(const TokenList& tokens, TokenIndex open) noexcept {
    std::size_t depth = 0;
    for (TokenIndex at = open; at < tokens.size(); ++at) {
        depth += tokens[at].is(TokenKind::open_paren) ? 1 : 0;
        depth -= tokens[at].is(TokenKind::close_paren) ? 1 : 0;
        if (depth == 0) {
            return at + 1;
        }
    }
    return tokens.size();
}

bool is_name(const sql::Token& token) noexcept {
    return token.is(TokenKind::word) || token.is(TokenKind::quoted_name);
}

/// Behind the name of the table and its columns.
TokenIndex behind_table(const TokenList& tokens) noexcept {
    TokenIndex at = 2;
    while (tokens[at].is(TokenKind::dot) && is_name(tokens[at + 1])) {
        at += 2;
    }
    return tokens[at].is(TokenKind::open_paren) ? behind_parentheses(tokens, at) : at;
}

}  // namespace

CopyCommand::CopyCommand(const TokenList& tokens, const sql::LexerState& lexing) {
    const bool of_query = tokens[1].is(TokenKind::open_paren);
    const TokenIndex at = of_query ? behind_parentheses(tokens, 1) : behind_table(tokens);
    if (of_query) {
        query = {2, at - 1};
    }
    if (tokens[at].is(Keyword::from)) {
        way = Way::in;
    } else if (tokens[at].is(Keyword::to)) {
        // The server takes the one word for the other.
        const bool client = tokens.spells(at + 1, "stdout") || tokens.spells(at + 1, "stdin");
        way = client ? Way::to_client : Way::to_server;
    }
    if (way == Way::to_client) {
        format = copy_format_of(tokens, at + 2, lexing);
    }
}

}  // namespace isotap::postgres::instrument
