#pragma once

#include <compare>
#include <cstdint>

#include "isotap/history/ids.hpp"

namespace isotap::history {

/// How the state of a row is named.
enum class VersionKind : std::uint8_t {
    unknown,  ///< not captured: says nothing, makes no edge
    initial,  ///< T0: the row as it was before we looked
    unborn,   ///< no row yet: what an insert overwrites
    dead,     ///< no row any more: what a delete leaves
    written,  ///< made by the statement `writer` . `statement`
    foreign,  ///< made by the server's own transaction number `writer`, which an `Alias` may
              ///< resolve
};

/// One state of one row, named by its writer. A small value: copy it.
struct Version {
    VersionKind kind = VersionKind::unknown;
    std::uint32_t statement = 0;
    std::uint64_t writer = 0;

    friend auto operator<=>(const Version&, const Version&) = default;

    static constexpr Version initial() noexcept { return {VersionKind::initial, 0, 0}; }
    static constexpr Version unborn() noexcept { return {VersionKind::unborn, 0, 0}; }
    static constexpr Version dead() noexcept { return {VersionKind::dead, 0, 0}; }
    static constexpr Version written_by(StatementRef by) noexcept {
        return {VersionKind::written, by.ordinal, static_cast<std::uint64_t>(by.transaction)};
    }
    static constexpr Version foreign(std::uint64_t server_transaction) noexcept {
        return {VersionKind::foreign, 0, server_transaction};
    }
};

}  // namespace isotap::history
