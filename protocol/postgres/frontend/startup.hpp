#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/bytes.hpp"

/// The packets without a type byte, with which a client opens a connection.
namespace isotap::postgres::frontend {

enum class StartupKind : std::uint8_t {
    ssl_request,
    gss_request,
    cancel_request,
    startup,  ///< a protocol version and parameters; versions that we do not know are the server's
              ///< affair
};

/// Length and code of a start-up packet: what can be told from its first eight bytes.
struct StartupHeader {
    static constexpr std::size_t size = 8;

    std::uint32_t length = 0;  ///< of the whole packet
    std::uint32_t code = 0;

    [[nodiscard]] StartupKind kind() const noexcept;

    /// Nothing when eight bytes are not there or the length is none that a server would take.
    static std::optional<StartupHeader> decode(Bytes bytes, std::size_t length_max) noexcept;
};

/// The first byte of a TLS record: a client that does not ask for TLS but begins it.
inline constexpr std::uint8_t tls_record_handshake = 0x16;

/// StartupMessage. Views live as long as the packet.
struct Startup {
    std::string_view user;
    std::string_view database;  ///< as given; empty means the user's name
    std::string_view application_name;
    std::string_view options;
    std::string_view default_isolation;  ///< parameter default_transaction_isolation
    std::string_view search_path;        ///< parameter search_path
    std::string_view role;               ///< parameter role
    bool replication = false;

    /// Nothing when the packet is malformed: the server will say so.
    static std::optional<Startup> decode(Bytes packet) noexcept;
};

}  // namespace isotap::postgres::frontend
