#include "proxy/catalog/search_path.hpp"

#include "protocol/sql/name.hpp"
#include "protocol/sql/token_list.hpp"

namespace isotap::proxy {
namespace {

using sql::TokenKind;

/// What a plain '…' holds; nothing where it is written in another way.
std::optional<std::string> text_of(std::string_view literal) {
    if (literal.size() < 2 || literal.front() != '\'' || literal.find('\\') != literal.npos) {
        return std::nullopt;
    }
    std::string text;
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
        text += literal[i];
        i += literal[i] == '\'' ? 1 : 0;
    }
    return text;
}

std::optional<std::string> name_in(const sql::TokenList& tokens, sql::TokenIndex i) {
    const std::string_view spelled = tokens.text(i);
    switch (tokens[i].kind) {
        case TokenKind::word:
        case TokenKind::quoted_name: return sql::name_of(spelled, sql::Dialect::postgres);
        case TokenKind::string: return text_of(spelled);
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<std::string> search_path_value(std::string_view list) {
    sql::LexerState state;
    state.dialect = sql::Dialect::postgres;
    sql::TokenList tokens;
    tokens.read(list, state);
    // What stands behind a semicolon or cannot be read would not be in the list of tokens.
    if (!tokens.sure() || list.find(';') != list.npos) {
        return std::nullopt;
    }
    std::string value;
    for (sql::TokenIndex i = 0; i < tokens.size(); ++i) {
        const bool separator = i % 2 == 1;
        if (separator) {
            if (!tokens[i].is(TokenKind::comma)) {
                return std::nullopt;
            }
            value += ", ";
            continue;
        }
        const auto name = name_in(tokens, i);
        const bool server_comes_later = i > 0 && name == "pg_catalog";
        if (!name || server_comes_later) {
            return std::nullopt;
        }
        value += sql::quoted(*name, sql::Dialect::postgres);
    }
    return tokens.size() % 2 == 1 || tokens.size() == 0 ? std::optional(value) : std::nullopt;
}

}  // namespace isotap::proxy
