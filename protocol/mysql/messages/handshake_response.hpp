#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/capabilities.hpp"

namespace isotap::mysql {

/// What the client answers to the greeting. Views into the payload.
///
/// `capabilities` is what the client claims; only what the server claims as well is in force.
struct HandshakeResponse {
    Capabilities capabilities;
    std::uint8_t collation = 0;
    std::string_view user;
    std::string_view database;
    std::string_view program;  ///< the connection attribute `program_name`
};

/// The head of a HandshakeResponse alone: 'TLS from the next byte on'.
inline constexpr std::size_t ssl_request_size = 32;

/// Also understands what stands in an SSLRequest, which is the same head without a user. Empty for
/// the format of before 4.1, and for what is neither.
std::optional<HandshakeResponse> decode_handshake_response(Bytes payload,
                                                           Capabilities server) noexcept;

}  // namespace isotap::mysql
