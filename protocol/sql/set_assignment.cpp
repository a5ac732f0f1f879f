#include "protocol/sql/set_assignment.hpp"

namespace isotap::sql {

std::optional<std::string_view> read_set_value(TokenCursor& cursor) noexcept {
    std::optional<std::string_view> value;
    const Token token = cursor.token();
    const std::string_view text = cursor.text();
    const char quote = text.empty() ? '\0' : text.front();
    if (quote == '\'' || quote == '"') {
        value = text.substr(1, text.size() - 2);
    } else if ((token.is(TokenKind::word) && !token.is(Keyword::default_)) ||
               token.is(TokenKind::integer)) {
        value = text;
    }
    cursor.advance();
    if (cursor.accept(Keyword::collate)) {
        cursor.advance();  // NAMES x COLLATE y
    }
    if (cursor.at_end() || cursor.is(TokenKind::comma)) {
        return value;
    }
    for (std::size_t depth = 0; !cursor.at_end(); cursor.advance()) {
        if (cursor.is(TokenKind::open_paren)) {
            ++depth;
        } else if (cursor.is(TokenKind::close_paren)) {
            depth -= depth > 0 ? 1 : 0;
        } else if (depth == 0 && cursor.is(TokenKind::comma)) {
            break;
        }
    }
    return std::nullopt;
}

bool read_set_scope(Keyword keyword, SettingScope& scope) noexcept {
    switch (keyword) {
        case Keyword::global:
        case Keyword::persist:
        case Keyword::persist_only: scope = SettingScope::global; return true;
        case Keyword::session:
        case Keyword::local: scope = SettingScope::session; return true;
        default: return false;
    }
}

SetAssignment read_set_assignment(TokenCursor& cursor, SettingScope& sticky) noexcept {
    SetAssignment made;
    made.name = cursor.token().keyword;
    if (cursor.is(TokenKind::system_variable)) {
        made.scope = sticky;
        made.name = keyword_of(cursor.text().substr(2));
        cursor.advance();
        if (cursor.accept(TokenKind::dot)) {
            read_set_scope(made.name, made.scope);
            made.name = keyword_of(cursor.text());
            cursor.advance();
        } else {
            made.bare_variable = true;
            made.scope = SettingScope::session;
        }
    } else {
        if (read_set_scope(made.name, sticky)) {
            cursor.advance();
            made.name = cursor.token().keyword;
        }
        made.scope = sticky;
        cursor.advance();
        if (made.name == Keyword::character || made.name == Keyword::charset) {
            made.name = Keyword::character;
            cursor.accept(Keyword::set);
        }
    }
    cursor.accept(TokenKind::symbol);  // := is = here
    cursor.accept(TokenKind::equals);
    made.value = read_set_value(cursor);
    return made;
}

}  // namespace isotap::sql
