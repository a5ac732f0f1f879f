#pragma once

#include <string_view>

#include "isotap/history/events.hpp"

#include "protocol/sql/token_cursor.hpp"
#include "protocol/sql/transaction_control.hpp"

namespace isotap::sql {

/// Reads `ISOLATION LEVEL …, READ ONLY, NOT DEFERRABLE …` as far as it knows the words, and leaves
/// the cursor on the first one that it does not.
void read_transaction_modes(TokenCursor& cursor, TransactionControl& control) noexcept;

/// The level that the value of a setting names, in any case: `read committed`, `READ-COMMITTED`, or
/// the number that the MySQL family takes for it.
history::IsolationLevel level_named(std::string_view value) noexcept;

/// Reads what stands behind SET, and behind RESET.
void read_set(TokenCursor& cursor, Dialect dialect, TransactionControl& control) noexcept;
void read_reset(TokenCursor& cursor, TransactionControl& control) noexcept;

}  // namespace isotap::sql
