#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isotap/base/bytes.hpp"
#include "isotap/history/events.hpp"

namespace isotap::mysql {

inline constexpr std::uint8_t error_header = 0xff;

/// An ERR packet. Before the handshake is through it may lack its SQLSTATE.
struct ErrorPacket {
    std::uint16_t number = 0;
    history::SqlState sql_state = history::no_sql_state;
    std::string_view message;
};

/// MariaDB sends progress reports in ERR packets with this number: they end nothing.
inline constexpr std::uint16_t progress_report = 0xffff;

std::optional<ErrorPacket> decode_error(Bytes payload) noexcept;

/// Appends a whole packet, header included, to `out`.
void encode_error(const ErrorPacket& error, std::uint8_t sequence, std::vector<std::uint8_t>& out);

}  // namespace isotap::mysql
