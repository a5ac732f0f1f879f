#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/sql/lexer_state.hpp"

namespace isotap::sql {

/// What a server of the MySQL family calls the level of a session.
inline std::string_view isolation_variable(const LexerState& state) noexcept {
    constexpr std::uint32_t renamed_on_mariadb = 110101;
    return state.mariadb && state.server_version < renamed_on_mariadb ? "tx_isolation"
                                                                      : "transaction_isolation";
}

}  // namespace isotap::sql
