#pragma once

#include <cstdint>
#include <string>

#include "protocol/mysql/capabilities.hpp"
#include "protocol/mysql/server_status.hpp"

namespace isotap::mysql {

/// Which compression both ends agreed on; where a client offers both, servers take zlib.
enum class Compression : std::uint8_t { none, zlib, zstd };

/// What the handshake found out and the conversation needs.
struct ChannelFacts {
    Capabilities in_force;
    ServerStatus status;
    Compression compression = Compression::none;
    std::string user;
    std::string database;
    std::string program;
    bool mariadb = false;
    std::uint32_t server_version = 0;     ///< 101119 is 10.11.19, 80036 is 8.0.36
    std::uint8_t collation = 0;           ///< of the client's text, by its number; 0: not said
    bool trail_bytes_look_ascii = false;  ///< the client's character set is one of GBK's kind
};

constexpr Compression compression_of(Capabilities in_force) noexcept {
    if (in_force.has(Capability::compress)) {
        return Compression::zlib;
    }
    return in_force.has(Capability::zstd_compression) ? Compression::zstd : Compression::none;
}

}  // namespace isotap::mysql
