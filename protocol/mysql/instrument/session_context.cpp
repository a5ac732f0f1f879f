#include "protocol/mysql/instrument/session_context.hpp"

#include <algorithm>

#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/name.hpp"
#include "protocol/sql/set_assignment.hpp"
#include "protocol/sql/token_cursor.hpp"

namespace isotap::mysql::instrument {

using sql::Keyword;
using sql::TokenKind;
using Kind = StatementEffect::Kind;

namespace {

std::string name_at(const sql::TokenList& tokens, sql::TokenIndex i) {
    return sql::name_of(tokens.text(i), sql::Dialect::mysql);
}

/// CREATE [OR REPLACE] [TEMPORARY] TABLE [IF NOT EXISTS] [schema.]name
StatementEffect effect_of_create(const sql::TokenList& tokens) {
    sql::TokenIndex i = tokens[1].is(Keyword::or_) ? 3 : 1;
    const bool temporary = tokens[i].is(Keyword::temporary);
    i += temporary ? 1 : 0;
    if (!tokens[i].is(Keyword::table)) {
        return {temporary ? Kind::temporary : Kind::schema, {}};
    }
    ++i;
    StatementEffect::Made made;
    if (tokens[i].is(Keyword::if_)) {
        made.unless_there = true;
        i += 3;
    }
    if (tokens[i + 1].is(TokenKind::dot)) {
        made.schema = name_at(tokens, i);
        i += 2;
    }
    made.table = name_at(tokens, i);
    if (temporary) {
        return {Kind::temporary, made.table};
    }
    return {Kind::schema, {}, {std::move(made)}};
}

/// Triggers of ours set variables, and the reply to the client's own statement would say so.
bool tracks_state(const sql::TokenList& tokens) {
    for (sql::TokenIndex i = 0; i < tokens.size(); ++i) {
        const std::string_view word = tokens.text(i);
        if (sql::same_word(word, "session_track_state_change") ||
            sql::same_word(word, "@@session_track_state_change")) {
            return true;
        }
    }
    return false;
}

StatementEffect effect_of_set(std::string_view text, const sql::LexerState& lexing) {
    sql::TokenCursor cursor(text, lexing);
    cursor.advance();
    sql::SettingScope sticky = sql::SettingScope::session;
    StatementEffect effect;
    if (cursor.is(Keyword::statement)) {
        return effect;
    }
    do {
        const sql::SetAssignment made = sql::read_set_assignment(cursor, sticky);
        if (made.scope == sql::SettingScope::global) {
            continue;
        }
        switch (made.name) {
            case Keyword::sql_mode:
                effect.kind = Kind::settings;
                effect.sql_mode = made.value.value_or("");
                break;
            case Keyword::names:
            case Keyword::character:
            case Keyword::character_set_client:
                effect.kind = Kind::settings;
                effect.character_set = made.value.value_or("");
                break;
            default: break;
        }
    } while (cursor.accept(TokenKind::comma));
    return effect;
}

}  // namespace

StatementEffect effect_of(const sql::TokenList& tokens, const sql::LexerState& lexing) {
    switch (tokens[0].keyword) {
        case Keyword::use: return {Kind::database, name_at(tokens, 1)};
        case Keyword::create: return effect_of_create(tokens);
        case Keyword::set:
            return !lexing.mariadb && tracks_state(tokens) ? StatementEffect{Kind::tracking, {}}
                                                           : effect_of_set(tokens.text(), lexing);
        case Keyword::alter:
        case Keyword::drop:
        case Keyword::rename:
        case Keyword::grant:
        case Keyword::revoke:
        case Keyword::call: return {Kind::schema, {}};
        default: return {};
    }
}

SessionContext::SessionContext(const ChannelFacts& channel) {
    context_.database = channel.database;
    context_.user = channel.user;
    context_.character_set =
        channel.collation == 0 ? std::string() : std::to_string(channel.collation);
}

void SessionContext::on_effect(const StatementEffect& effect) {
    switch (effect.kind) {
        case Kind::none: return;
        case Kind::schema:
            for (Temporary& table : temporary_) {
                table.there = false;
            }
            return;
        case Kind::tracking: on_lost("session state tracked"); return;
        case Kind::database:
            context_.database = effect.value;
            id_known_ = false;
            return;
        case Kind::settings:
            if (effect.sql_mode) context_.sql_mode = *effect.sql_mode;
            if (effect.character_set) context_.character_set = *effect.character_set;
            id_known_ = false;
            return;
        case Kind::temporary:
            any_temporary_ =
                any_temporary_ || effect.value.empty() || temporary_.size() >= temporary_max;
            std::erase_if(temporary_, [&](const Temporary& one) {
                return any_temporary_ || one.name == effect.value;
            });
            if (!any_temporary_) {
                temporary_.push_back({effect.value, sql::small_letters(effect.value)});
            }
    }
}

void SessionContext::on_reset() {
    context_.sql_mode.clear();
    context_.character_set.clear();
    id_known_ = false;
    temporary_.clear();
    any_temporary_ = false;
}

bool SessionContext::mentions_temporary(const sql::TokenList& tokens) const {
    if (any_temporary_ || temporary_.empty()) {
        return any_temporary_;
    }
    for (sql::TokenIndex i = 0; i < tokens.size(); ++i) {
        const bool named = tokens[i].is(TokenKind::word) || tokens[i].is(TokenKind::quoted_name);
        if (named && find_temporary(name_at(tokens, i)) != nullptr) {
            return true;
        }
    }
    return false;
}

bool SessionContext::is_temporary(std::string_view name) const {
    const std::string meant = sql::name_of(name, sql::Dialect::mysql);
    const Temporary* found = find_temporary(meant);
    return found != nullptr && found->there && found->name == meant;
}

/// The one of that very name, if there is one among those of the same letters.
const SessionContext::Temporary* SessionContext::find_temporary(const std::string& name) const {
    const std::string letters = sql::small_letters(name);
    const Temporary* found = nullptr;
    for (const Temporary& one : temporary_) {
        if (one.letters == letters && (found == nullptr || one.name == name)) {
            found = &one;
        }
    }
    return found;
}

sql::ContextId SessionContext::id(sql::PlanSource& plans) {
    if (!id_known_) {
        id_ = plans.context(context_);
        id_known_ = true;
    }
    return id_;
}

}  // namespace isotap::mysql::instrument
