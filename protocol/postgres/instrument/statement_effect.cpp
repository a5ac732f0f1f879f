#include "protocol/postgres/instrument/statement_effect.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "protocol/postgres/instrument/schema_change.hpp"
#include "protocol/sql/letter_case.hpp"
#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using sql::Keyword;
using sql::TokenIndex;
using sql::TokenKind;
using sql::TokenList;
using Kind = StatementEffect::Kind;

namespace {

/// Words in the name of a setting, or in a text that is run, that make names mean something else.
bool mentions_names(std::string_view text) noexcept {
    constexpr std::array<std::string_view, 8> words{
        "search_path", "set_config", "role",  "authorization",
        "execute",     "schema",     "reset", "standard_conforming_strings"};
    return std::any_of(words.begin(), words.end(),
                       [text](std::string_view word) { return sql::contains(text, word); });
}

std::string rest_of(const TokenList& tokens, TokenIndex first) {
    return std::string(tokens.text({first, tokens.size()}));
}

std::string last_name(const TokenList& tokens) {
    return sql::name_of(tokens.text(tokens.size() - 1), sql::Dialect::postgres);
}

/// Behind SET ROLE: a name, or a string.
std::string role_named(const TokenList& tokens, TokenIndex at) {
    std::string_view spelled = tokens.text(at);
    if (tokens[at].is(TokenKind::string) && spelled.size() >= 2) {
        return std::string(spelled.substr(1, spelled.size() - 2));
    }
    if (tokens.spells(at, "none") || tokens[at].is(Keyword::default_)) {
        return {};
    }
    return sql::name_of(spelled, sql::Dialect::postgres);
}

StatementEffect effect_of_set(const TokenList& tokens) {
    StatementEffect effect;
    TokenIndex at = 1;
    if (tokens[at].is(Keyword::local)) {
        effect.local = true;
        ++at;
    } else if (tokens[at].is(Keyword::session) && !tokens[at + 1].is(Keyword::authorization)) {
        ++at;
    }
    const TokenIndex value = at + 2;
    if (tokens.spells(at, "search_path")) {
        effect.kind = Kind::search_path;
        effect.value = tokens[value].is(Keyword::default_) ? "" : rest_of(tokens, value);
    } else if (tokens[at].is(Keyword::schema)) {
        effect.kind = Kind::search_path;
        effect.value = rest_of(tokens, at + 1);
    } else if (tokens[at].is(Keyword::role)) {
        const bool assigned =
            tokens[at + 1].is(TokenKind::equals) || tokens[at + 1].is(Keyword::to);
        effect.kind = Kind::role;
        effect.value = role_named(tokens, assigned ? value : at + 1);
    } else if (tokens[at].is(Keyword::session) || tokens.spells(at, "session_authorization")) {
        effect.kind = Kind::unclear;
    } else if (tokens[at].is(Keyword::names) || tokens[at].is(Keyword::client_encoding) ||
               tokens[at].is(Keyword::standard_conforming_strings)) {
        effect.kind = Kind::reading;
    }
    return effect;
}

StatementEffect effect_of_reset(const TokenList& tokens) {
    StatementEffect effect;
    if (tokens[1].is(Keyword::all)) {
        effect.kind = Kind::reset_all;
    } else if (tokens.spells(1, "search_path")) {
        effect.kind = Kind::search_path;
    } else if (tokens[1].is(Keyword::role)) {
        effect.kind = Kind::role;
    } else if (tokens[1].is(Keyword::session)) {
        effect.kind = Kind::unclear;
    } else if (tokens[1].is(Keyword::client_encoding) ||
               tokens[1].is(Keyword::standard_conforming_strings)) {
        effect.kind = Kind::reading;
    }
    return effect;
}

/// `set_config('app.tenant', …)` is how applications hand values to row security: not ours to mind.
bool sets_what_matters(const TokenList& tokens, TokenIndex call) noexcept {
    const bool literal =
        tokens[call + 1].is(TokenKind::open_paren) && tokens[call + 2].is(TokenKind::string);
    return !literal || mentions_names(tokens.text(call + 2));
}

/// A statement that touches rows may do something else by the way.
StatementEffect effect_of_query(const TokenList& tokens) {
    constexpr std::string_view set_config = "set_config";
    const bool selects = tokens[0].is(Keyword::select) || tokens[0].is(Keyword::with);
    std::size_t depth = 0;
    for (TokenIndex at = 0; at < tokens.size(); ++at) {
        if (tokens[at].is(TokenKind::open_paren)) {
            ++depth;
        } else if (tokens[at].is(TokenKind::close_paren)) {
            depth -= depth > 0 ? 1 : 0;
        } else if (tokens[at].is(Keyword::into) && selects && depth == 0 &&
                   !tokens[at - 1].is(Keyword::insert) && !tokens[at - 1].is(Keyword::merge)) {
            return effect_of_into(tokens, at + 1);
        } else if (tokens[at].is(TokenKind::word) && tokens.text(at).size() == set_config.size() &&
                   tokens.spells(at, set_config) && sets_what_matters(tokens, at)) {
            return {Kind::unclear, false, {}};
        }
    }
    return {};
}

/// DO shows what it runs.
StatementEffect effect_of_do(const TokenList& tokens) {
    const std::string_view body = tokens.text({0, tokens.size()});
    if (mentions_names(body) || sql::contains(body, "temp")) {
        return {Kind::unclear, false, {}};
    }
    const bool schema = sql::contains(body, "create") || sql::contains(body, "alter") ||
                        sql::contains(body, "drop") || sql::contains(body, "grant");
    StatementEffect effect{schema ? Kind::schema : Kind::none, false, {}};
    effect.anything = schema;
    return effect;
}

}  // namespace

StatementEffect effect_of(const TokenList& tokens) {
    switch (tokens[0].keyword) {
        case Keyword::set: return effect_of_set(tokens);
        case Keyword::reset: return effect_of_reset(tokens);
        case Keyword::create: return effect_of_create(tokens);
        case Keyword::do_: return effect_of_do(tokens);
        case Keyword::call: return {Kind::unclear, false, {}};
        case Keyword::alter:
        case Keyword::drop:
        case Keyword::grant:
        case Keyword::revoke:
        case Keyword::import: return effect_of_schema_change(tokens);
        case Keyword::discard:
            if (tokens[1].is(Keyword::all)) {
                return {Kind::discard_all, false, {}};
            }
            return {tokens[1].is(Keyword::temp) || tokens[1].is(Keyword::temporary)
                        ? Kind::discard_temp
                        : Kind::none,
                    false,
                    {}};
        case Keyword::deallocate:
            return {tokens[tokens.size() - 1].is(Keyword::all) ? Kind::deallocate_all : Kind::none,
                    false,
                    {}};
        case Keyword::commit:
        case Keyword::end:
            return {
                tokens[1].is(Keyword::prepared) ? Kind::commit_prepared : Kind::commit, false, {}};
        case Keyword::prepare:
            return {tokens[1].is(Keyword::transaction) ? Kind::commit : Kind::none, false, {}};
        case Keyword::abort: return {Kind::rollback, false, {}};
        case Keyword::rollback:
            for (TokenIndex at = 1; at < tokens.size(); ++at) {
                if (tokens[at].is(Keyword::to)) {
                    return {Kind::rollback_to, false, last_name(tokens)};
                }
            }
            return {tokens[1].is(Keyword::prepared) ? Kind::none : Kind::rollback, false, {}};
        case Keyword::begin:
        case Keyword::start:
        case Keyword::show: return {};
        case Keyword::savepoint: return {Kind::savepoint, false, last_name(tokens)};
        case Keyword::release: return {Kind::release, false, last_name(tokens)};
        default: return effect_of_query(tokens);
    }
}

}  // namespace isotap::postgres::instrument
