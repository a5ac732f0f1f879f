#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::backend {

/// Authentication…: a request to prove who one is, or the word that it is proved.
struct Authentication {
    static constexpr BackendType type = BackendType::authentication;
    static constexpr std::uint32_t code_ok = 0;
    static constexpr std::uint32_t code_sasl = 10;
    static constexpr std::uint32_t code_sasl_continue = 11;
    static constexpr std::uint32_t code_sasl_final = 12;

    std::uint32_t code = 0;
    Bytes data;  ///< what the code asks for; lives as long as the body

    static std::optional<Authentication> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const Authentication authentication{reader.be32(), reader.rest()};
        return reader.ok() ? std::optional(authentication) : std::nullopt;
    }
};

inline constexpr std::string_view scram_without_channel_binding = "SCRAM-SHA-256";
inline constexpr std::string_view scram_with_channel_binding = "SCRAM-SHA-256-PLUS";

/// AuthenticationSASL without the mechanism that binds to the TLS channel; complete, with its
/// header. For a client whose own leg is not TLS: it could not use it, and some refuse to see it.
std::vector<std::uint8_t> sasl_without_channel_binding(const Authentication& offer);

}  // namespace isotap::postgres::backend
