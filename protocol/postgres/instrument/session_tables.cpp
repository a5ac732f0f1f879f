#include "protocol/postgres/instrument/session_tables.hpp"

#include <algorithm>

#include "protocol/sql/name.hpp"

namespace isotap::postgres::instrument {

using Kind = StatementEffect::Kind;
using Meaning = SessionTables::Meaning;

namespace {

template <class Named>
bool has_name(const std::vector<Named>& all, std::string_view name) {
    return std::any_of(all.begin(), all.end(),
                       [name](const Named& one) { return one.name == name; });
}

bool has_name(const std::vector<std::string>& all, std::string_view name) {
    return std::find(all.begin(), all.end(), name) != all.end();
}

/// A word that can be no name as it stands there.
bool is_name(const sql::Token& token) noexcept {
    return token.is(sql::TokenKind::quoted_name) ||
           (token.is(sql::TokenKind::word) &&
            sql::reserved_by_postgres(token.keyword) != sql::Reserved::yes);
}

bool is_relation_of_tables(const sql::Relation& relation, const sql::TokenList& tokens,
                           const sql::Structure& structure) {
    if (relation.kind == sql::RelationKind::derived) {
        return false;  // what it reads are relations of their own
    }
    const auto name = [&](sql::TokenIndex at) {
        return sql::name_of(tokens.text(at), sql::Dialect::postgres);
    };
    return relation.schema != sql::no_token || relation.kind != sql::RelationKind::table ||
           std::none_of(structure.ctes.begin(), structure.ctes.end(),
                        [&](const sql::Cte& cte) { return name(cte.name) == name(relation.name); });
}

}  // namespace

void SessionTables::on_effect(const StatementEffect& effect) {
    switch (effect.kind) {
        case Kind::temporary:
            if (effect.value.empty() || temporary_.size() == names_max) {
                any_temporary_ = true;
            } else {
                temporary_.push_back({effect.value, effect.of_table, effect.local});
            }
            break;
        case Kind::created:
            if (own_.size() == names_max) {
                any_changed_ = true;
            } else {
                // Where the search path leads first is where it was made.
                effect.schema.empty() ? void(std::erase(changed_, effect.value)) : void();
                own_.push_back({effect.schema, effect.value});
            }
            break;
        case Kind::schema: on_schema(effect); break;
        case Kind::commit_prepared: any_changed_ = true; break;
        case Kind::discard_all:
        case Kind::discard_temp:
            temporary_.clear();
            any_temporary_ = false;
            break;
        default: break;
    }
}

/// A table that is changed stays this transaction's own, one whose name may stand for another one
/// afterwards does not.
void SessionTables::on_schema(const StatementEffect& effect) {
    any_changed_ = any_changed_ || effect.anything;
    for (const std::string& name : effect.names) {
        const bool own = has_name(own_, name);
        if (own && effect.only_adds) {
            continue;
        }
        std::erase_if(own_, [&](const Own& one) { return one.name == name; });
        for (Temporary& temporary : temporary_) {
            temporary.table = temporary.table && temporary.name != name;
        }
        if (changed_.size() == names_max) {
            any_changed_ = true;
        } else {
            changed_.push_back(name);
        }
    }
}

void SessionTables::on_names_moved() {
    for (const Own& own : own_) {
        changed_.push_back(own.name);
    }
    own_.clear();
}

void SessionTables::on_committed() {
    own_.clear();
    changed_.clear();
    any_changed_ = false;
    std::erase_if(temporary_, [](const Temporary& one) { return one.until_commit; });
}

std::string_view SessionTables::obstacle() const noexcept {
    if (any_changed_) {
        return "uncommitted schema change";
    }
    return any_temporary_ ? "temporary tables" : std::string_view{};
}

std::string_view SessionTables::reason() const noexcept {
    return own_.empty() && changed_.empty() ? "temporary table" : "uncommitted schema change";
}

bool SessionTables::knows(std::string_view name) const {
    return has_name(temporary_, name) || has_name(own_, name) || has_name(changed_, name);
}

bool SessionTables::mentioned_in(const sql::TokenList& tokens) const {
    if (temporary_.empty() && own_.empty() && changed_.empty()) {
        return false;
    }
    for (sql::TokenIndex at = 0; at < tokens.size(); ++at) {
        if (is_name(tokens[at]) && knows(sql::name_of(tokens.text(at), sql::Dialect::postgres))) {
            return true;
        }
    }
    return false;
}

bool SessionTables::hides(std::string_view identity) const {
    return any_temporary_ || has_name(temporary_, identity.substr(identity.rfind('.') + 1));
}

/// A temporary table hides all others of its name, but from those who name a schema.
Meaning SessionTables::meaning_of(std::string_view schema, std::string_view name) const {
    if (!knows(name)) {
        return Meaning::shared;
    }
    if (has_name(changed_, name)) {
        return Meaning::unsure;
    }
    const auto temporary = [name](const Temporary& one) { return one.name == name; };
    const auto hiding = std::find_if(temporary_.begin(), temporary_.end(), temporary);
    if (hiding != temporary_.end()) {
        const bool meant = schema.empty() || schema == "pg_temp";
        return hiding->table && meant && !has_name(own_, name) ? Meaning::session : Meaning::unsure;
    }
    return std::any_of(own_.begin(), own_.end(),
                       [&](const Own& own) { return own.name == name && own.schema == schema; })
               ? Meaning::own
               : Meaning::unsure;
}

Meaning SessionTables::meaning_of(const sql::TokenList& tokens,
                                  const sql::Structure& structure) const {
    if (!structure.sure()) {
        return Meaning::unsure;
    }
    const auto name = [&](sql::TokenIndex at) {
        return at == sql::no_token ? std::string()
                                   : sql::name_of(tokens.text(at), sql::Dialect::postgres);
    };
    bool shared = false;
    bool session = false;
    bool own = false;
    for (const sql::Relation& relation : structure.relations) {
        if (!is_relation_of_tables(relation, tokens, structure)) {
            continue;
        }
        const Meaning meaning = relation.kind == sql::RelationKind::table
                                    ? meaning_of(name(relation.schema), name(relation.name))
                                    : Meaning::shared;
        if (meaning == Meaning::unsure) {
            return meaning;
        }
        shared = shared || meaning == Meaning::shared;
        session = session || meaning == Meaning::session;
        own = own || meaning == Meaning::own;
    }
    if (!session && !own) {
        return Meaning::shared;
    }
    return shared ? Meaning::unsure : own ? Meaning::own : Meaning::session;
}

}  // namespace isotap::postgres::instrument
