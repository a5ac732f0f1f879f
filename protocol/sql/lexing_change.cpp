#include "protocol/sql/lexing_change.hpp"

#include <algorithm>
#include <array>

#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/set_assignment.hpp"

namespace isotap::sql {
namespace {

/// Calls `use` for every word between commas.
template <typename Use>
void for_each_mode(std::string_view modes, Use use) {
    while (!modes.empty()) {
        const std::size_t comma = modes.find(',');
        use(modes.substr(0, comma));
        modes = comma == std::string_view::npos ? std::string_view{} : modes.substr(comma + 1);
    }
}

void set_sql_mode(std::string_view modes, LexerState& state) noexcept {
    state.ansi_quotes = false;
    state.no_backslash_escapes = false;
    for_each_mode(modes, [&state](std::string_view mode) {
        // The names of other products stand for lists of modes.
        for (const std::string_view with_quotes :
             {"ansi_quotes", "ansi", "db2", "maxdb", "mssql", "postgresql"}) {
            state.ansi_quotes = state.ansi_quotes || same_word(mode, with_quotes);
        }
        state.no_backslash_escapes =
            state.no_backslash_escapes || same_word(mode, "no_backslash_escapes");
        const bool number = !mode.empty() && mode.front() >= '0' && mode.front() <= '9';
        if (number || same_word(mode, "oracle")) {
            state.certain = false;
        }
    });
}

}  // namespace

bool trail_bytes_look_ascii(std::string_view character_set) noexcept {
    constexpr std::array<std::string_view, 9> such{"big5", "cp932", "gb18030", "gbk",      "johab",
                                                   "sjis", "uhc",   "mskanji", "shift_jis"};
    return std::any_of(such.begin(), such.end(), [character_set](std::string_view name) {
        return same_word(character_set, name);
    });
}

LexerState after_statement(std::string_view statement, const LexerState& before) noexcept {
    LexerState after = before;
    TokenCursor cursor(statement, before);
    if (before.dialect != Dialect::mysql || !cursor.accept(Keyword::set) ||
        cursor.is(Keyword::statement)) {
        return after;
    }
    SettingScope sticky = SettingScope::session;
    do {
        const SetAssignment made = read_set_assignment(cursor, sticky);
        const std::string_view value = made.value.value_or("");
        switch (made.scope == SettingScope::global ? Keyword::none : made.name) {
            case Keyword::sql_mode:
                set_sql_mode(value, after);
                after.certain = after.certain && made.value.has_value();
                break;
            case Keyword::names:
            case Keyword::character:
            case Keyword::character_set_client:
                after.trail_bytes_look_ascii = trail_bytes_look_ascii(value);
                after.certain = after.certain && made.value.has_value();
                break;
            default: break;
        }
    } while (cursor.accept(TokenKind::comma));
    after.certain = after.certain && cursor.sure();
    return after;
}

}  // namespace isotap::sql
