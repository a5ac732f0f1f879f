#pragma once

#include <cstdint>
#include <optional>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/capabilities.hpp"
#include "protocol/mysql/server_status.hpp"

namespace isotap::mysql {

inline constexpr std::uint8_t ok_header = 0x00;
inline constexpr std::uint8_t end_header = 0xfe;

/// What ends a command or a result set: an OK packet, or an EOF packet, which says less.
struct OkPacket {
    std::uint64_t affected_rows = 0;
    ServerStatus status;
    std::uint16_t warnings = 0;
    Bytes info;           ///< for people, in the language of the session
    Bytes session_state;  ///< what the session trackers say; read it with SessionTrackReader
};

/// Decodes an OK packet with either header (0x00, or 0xFE where it replaces EOF).
std::optional<OkPacket> decode_ok(Bytes payload, Capabilities in_force) noexcept;

/// Decodes an EOF packet as it was before CLIENT_DEPRECATE_EOF.
std::optional<OkPacket> decode_eof(Bytes payload) noexcept;

}  // namespace isotap::mysql
