#include "protocol/postgres/instrument/schema_change.hpp"

#include <algorithm>
#include <string_view>

#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using sql::Keyword;
using sql::TokenIndex;
using sql::TokenKind;
using sql::TokenList;
using Kind = StatementEffect::Kind;

namespace {

bool has_word(const TokenList& tokens, std::string_view lower) noexcept {
    for (TokenIndex at = 1; at < tokens.size(); ++at) {
        if (tokens.spells(at, lower)) {
            return true;
        }
    }
    return false;
}

bool is_one_of(const TokenList& tokens, TokenIndex at,
               std::initializer_list<std::string_view> words) noexcept {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return tokens.spells(at, word); });
}

bool names_temporary(const TokenList& tokens, TokenIndex at) noexcept {
    return tokens[at].is(Keyword::temp) || tokens[at].is(Keyword::temporary);
}

/// A name, with its schema where it has one.
struct Named {
    std::string schema;
    std::string name;
    bool whether = false;  ///< IF EXISTS, IF NOT EXISTS stood in front
    TokenIndex behind = 0;

    Named(const TokenList& tokens, TokenIndex at) {
        if (tokens[at].is(Keyword::if_)) {
            whether = true;
            at += tokens[at + 1].is(Keyword::not_) ? 3 : 2;
        }
        at += tokens.spells(at, "only") ? 1 : 0;
        name = sql::name_of(tokens.text(at), sql::Dialect::postgres);
        while (tokens[at + 1].is(TokenKind::dot)) {
            at += 2;
            schema = std::move(name);
            name = sql::name_of(tokens.text(at), sql::Dialect::postgres);
        }
        behind = at + 1;
    }
};

StatementEffect anything() {
    StatementEffect effect{Kind::schema, false, {}};
    effect.anything = true;
    return effect;
}

/// Only what these names stand for has changed.
StatementEffect only(std::vector<std::string> names) {
    StatementEffect effect{Kind::schema, false, {}};
    effect.names = std::move(names);
    return effect;
}

/// More than can be meant, and so all that is.
std::vector<std::string> all_names(const TokenList& tokens) {
    std::vector<std::string> names;
    for (TokenIndex at = 1; at < tokens.size(); ++at) {
        const bool bare = tokens[at].is(TokenKind::word) &&
                          sql::reserved_by_postgres(tokens[at].keyword) != sql::Reserved::yes;
        if (bare || tokens[at].is(TokenKind::quoted_name)) {
            names.push_back(sql::name_of(tokens.text(at), sql::Dialect::postgres));
        }
    }
    return names;
}

StatementEffect created(const TokenList& tokens, TokenIndex at) {
    const Named table(tokens, at);
    if (has_word(tokens, "inherits") || has_word(tokens, "partition")) {
        return anything();
    }
    if (table.whether) {
        return only({table.name});
    }
    StatementEffect effect{Kind::created, false, table.name};
    effect.schema = table.schema;
    return effect;
}

StatementEffect temporary(const TokenList& tokens, TokenIndex at, bool is_table) {
    // IF NOT EXISTS asks for another temporary one, so one there is.
    StatementEffect effect{Kind::temporary, false, Named(tokens, at).name};
    effect.of_table = is_table && !has_word(tokens, "inherits");
    for (TokenIndex i = at; i + 1 < tokens.size(); ++i) {
        effect.local = effect.local || (tokens.spells(i, "commit") && tokens.spells(i + 1, "drop"));
    }
    return effect;
}

}  // namespace

StatementEffect effect_of_create(const TokenList& tokens) {
    if (tokens.spells(1, "schema")) {
        const bool more = has_word(tokens, "create") || has_word(tokens, "grant");
        return more ? anything() : only({});
    }
    for (TokenIndex at = 1; at < tokens.size() && at < 6; ++at) {
        const bool table = tokens[at].is(Keyword::table);
        if (!table && !tokens[at].is(Keyword::view) && !tokens[at].is(Keyword::sequence)) {
            continue;
        }
        bool is_temporary = tokens.spells(at + 1, "pg_temp") || tokens.spells(at + 4, "pg_temp");
        for (TokenIndex before = 1; before < at; ++before) {
            is_temporary = is_temporary || names_temporary(tokens, before);
            if (tokens.spells(before, "foreign")) {
                return anything();
            }
        }
        if (is_temporary) {
            return temporary(tokens, at + 1, table);
        }
        return table ? created(tokens, at + 1) : only({Named(tokens, at + 1).name});
    }
    const TokenIndex what = tokens.spells(1, "or") ? 3 : 1;
    if (is_one_of(tokens, 1, {"index", "unique", "type", "domain"})) {
        return only({});
    }
    if (is_one_of(tokens, what, {"function", "procedure"})) {
        return only({Named(tokens, what + 1).name});
    }
    return anything();
}

StatementEffect effect_of_schema_change(const TokenList& tokens) {
    const bool grants = tokens[0].is(Keyword::grant) || tokens[0].is(Keyword::revoke);
    if (grants) {
        const bool of_tables =
            has_word(tokens, "on") && !has_word(tokens, "schema") && !has_word(tokens, "database");
        return of_tables ? only(all_names(tokens)) : anything();
    }
    if (tokens[0].is(Keyword::alter) && tokens[1].is(Keyword::table)) {
        const Named table(tokens, 2);
        for (const char* other : {"rename", "attach", "detach", "inherit", "schema", "all"}) {
            if (has_word(tokens, other)) {
                return only(all_names(tokens));
            }
        }
        StatementEffect effect = only({table.name});
        effect.only_adds = tokens.spells(table.behind, "add");
        return effect;
    }
    const bool known =
        is_one_of(tokens, 1, {"index", "sequence", "type"}) ||
        (tokens[0].is(Keyword::drop) &&
         is_one_of(tokens, 1,
                   {"table", "view", "materialized", "function", "procedure", "domain"}));
    return known ? only(all_names(tokens)) : anything();
}

StatementEffect effect_of_into(const TokenList& tokens, TokenIndex at) {
    const bool is_temporary = names_temporary(tokens, at) || names_temporary(tokens, at + 1);
    while (names_temporary(tokens, at) || tokens[at].is(Keyword::table) ||
           tokens[at].is(Keyword::local) || tokens[at].is(Keyword::unlogged)) {
        ++at;
    }
    const Named table(tokens, at);
    StatementEffect effect{is_temporary ? Kind::temporary : Kind::created, false, table.name};
    effect.schema = table.schema;
    effect.of_table = is_temporary;
    return effect;
}

}  // namespace isotap::postgres::instrument
