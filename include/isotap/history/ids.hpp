#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace isotap::history {

/// One client connection and its one server connection. Unique within a run.
enum class SessionId : std::uint64_t {};

/// A transaction, unique across restarts and across proxies: the high bits carry a tag of the run.
/// Zero is T0, 'before we looked'.
enum class TransactionId : std::uint64_t {};
inline constexpr TransactionId initial_transaction{0};

/// A name (table, reason, user …) that a `NameDefined` event has spelled out before its first use.
enum class NameId : std::uint32_t {};
inline constexpr NameId no_name{0};

/// A predicate that a statement evaluated; unique within a run.
enum class PredicateId : std::uint64_t {};

/// The identity of a row within its table: the value itself where it fits into 16 bytes, else a
/// 128-bit hash of it. `RowLabelled` tells people what it stands for.
struct RowKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend auto operator<=>(const RowKey&, const RowKey&) = default;
};

/// A statement: the transaction it ran in and its position there, from 1.
struct StatementRef {
    TransactionId transaction{};
    std::uint32_t ordinal = 0;

    friend auto operator<=>(const StatementRef&, const StatementRef&) = default;
};

}  // namespace isotap::history

template <>
struct std::hash<isotap::history::RowKey> {
    std::size_t operator()(const isotap::history::RowKey& key) const noexcept {
        // Keys may be small consecutive integers: spread them.
        return (key.low ^ (key.high * 0x9E3779B97F4A7C15ULL)) * 0xD6E8FEB86659FD93ULL;
    }
};
