#pragma once

#include "analysis/history/history.hpp"
#include "analysis/history/list_order.hpp"

namespace isotap::history {

/// Transactions of a file are numbered by their place in it, from 1: 0 is T0.
constexpr TransactionId id_of(std::uint32_t transaction) noexcept {
    return TransactionId{std::uint64_t{transaction} + 1};
}

/// A key of a file as the row of its one table. `high` sets rows beside it apart, on which appends
/// are told whose order nobody knows: the key is in `low`.
constexpr RowKey row_of(KeyId key) noexcept {
    return {0, position(key)};
}

/// The name of that table, in events and in reports.
inline constexpr NameId history_table{1};

/// Tells a history of lists as the events of a tap: what was appended is a version that overwrote
/// another. Where lists contradict one another, each spells out the writers of its row instead.
/// Events come in the order of their moments.
void emit_events(const History& history, const ListOrder& order, EventSink& sink);

}  // namespace isotap::history
