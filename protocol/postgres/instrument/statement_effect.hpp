#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/sql/token_list.hpp"

namespace isotap::postgres::instrument {

/// What a statement does, if it succeeds, to what later ones mean: names, roles, schemas.
struct StatementEffect {
    enum class Kind : std::uint8_t {
        none,
        search_path,  ///< `value` is the list; empty: the default
        role,         ///< `value` is the name; empty: who logged in
        reset_all,    ///< settings, not the role
        discard_all,  ///< settings, role, temporary tables, prepared statements
        discard_temp,
        deallocate_all,
        unclear,    ///< names may mean anything afterwards
        reading,    ///< how a text is read: the server reports it, but only later
        schema,     ///< tables, views, types, grants: those of `names`
        created,    ///< makes the table `value`, of `schema` where that was spelled
        temporary,  ///< makes the temporary table `value`; empty: of any name
        commit,
        rollback,
        savepoint,    ///< of the name `value`
        release,      ///< of that one
        rollback_to,  ///< that one
        commit_prepared,
    };

    Kind kind = Kind::none;
    bool local = false;  ///< until the transaction ends
    std::string value;

    std::string schema{};
    std::vector<std::string> names{};
    bool anything = false;   ///< of a change of the schema: `names` are not all
    bool only_adds = false;  ///< its table is still the same one afterwards
    bool of_table = false;   ///< of what is temporary: a table

    /// Later statements cannot be planned before this one has been answered.
    [[nodiscard]] bool changes_planning() const noexcept {
        return kind != Kind::none && kind != Kind::savepoint && kind != Kind::release &&
               !ends_transaction();
    }
    /// Matters only where something in the open transaction has changed planning.
    [[nodiscard]] bool ends_transaction() const noexcept {
        return kind == Kind::commit || kind == Kind::rollback || kind == Kind::rollback_to;
    }
};

/// Reads one statement, as far as needed: most are `none` at their first word.
StatementEffect effect_of(const sql::TokenList& tokens);

}  // namespace isotap::postgres::instrument
