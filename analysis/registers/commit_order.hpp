#pragma once

#include <optional>

#include "analysis/registers/order_edge.hpp"

/// What each of the weak levels makes certain about the order of commits, beyond sessions and
/// reads. A level holds exactly when sessions, reads and these edges together have no cycle
/// (Biswas and Enea, OOPSLA 2019). Each function adds enough of the edges to decide that, not all
/// of them; the algorithms are those of AWDIT (PLDI 2025).
namespace isotap::analysis {

/// A transaction that saw T before it read `key` must not find a version of it older than T's.
/// O(n^1.5) in the number of operations.
OrderEdges read_committed_order(const ResolvedHistory& history);

/// A transaction that saw T, or comes after T in its session, sees all that T wrote.
/// O(n^1.5) in the number of operations.
OrderEdges read_atomic_order(const ResolvedHistory& history);

/// A transaction sees all that came before it by sessions and reads, however far back.
/// O(n·k) in time and memory for k sessions. Sessions and reads must have no cycle: nothing comes
/// back if they do.
std::optional<OrderEdges> causal_order(const ResolvedHistory& history);

/// The transactions in an order that sessions and reads allow; shorter than the history if they
/// have a cycle.
std::vector<Node> causal_sequence(const ResolvedHistory& history);

}  // namespace isotap::analysis
