#pragma once

#include <optional>
#include <string_view>

#include "protocol/sql/token_cursor.hpp"
#include "protocol/sql/transaction_control.hpp"

namespace isotap::sql {

/// One `name = value` of the MySQL family's SET, which takes a list of them. Also NAMES x and
/// CHARACTER SET x, under the names `names` and `character`.
struct SetAssignment {
    Keyword name = Keyword::none;
    SettingScope scope = SettingScope::session;
    bool bare_variable = false;  ///< @@name, without a scope
    /// Without quotes; nothing where the text does not tell it: DEFAULT, variables, expressions.
    std::optional<std::string_view> value;
};

/// Reads one, up to the comma behind it. `sticky` is the scope that the last GLOBAL or SESSION of
/// the list has set for those behind it. No allocation.
SetAssignment read_set_assignment(TokenCursor& cursor, SettingScope& sticky) noexcept;

/// The right side of an assignment, up to a comma outside of parentheses.
std::optional<std::string_view> read_set_value(TokenCursor& cursor) noexcept;

/// GLOBAL, SESSION … in front of a name. False if it is none of them.
bool read_set_scope(Keyword keyword, SettingScope& scope) noexcept;

}  // namespace isotap::sql
