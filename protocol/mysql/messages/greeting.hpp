#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/capabilities.hpp"
#include "protocol/mysql/server_status.hpp"

namespace isotap::mysql {

/// The first packet of the server (protocol version 10). Views into the payload.
struct Greeting {
    std::string_view server_version;
    std::uint32_t connection_id = 0;
    Capabilities capabilities;
    ServerStatus status;
    std::string_view plugin;
};

inline constexpr std::uint8_t greeting_version = 10;

std::optional<Greeting> decode_greeting(Bytes payload) noexcept;

/// Where the low 16 capability bits stand in the payload; empty when it is no greeting.
std::optional<std::size_t> greeting_capabilities_offset(Bytes payload) noexcept;

}  // namespace isotap::mysql
