#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// SASLInitialResponse: shares its type byte with every other answer to a request to authenticate.
/// Views live as long as the body.
struct SaslInitialResponse {
    static constexpr FrontendType type = FrontendType::password;

    static constexpr std::uint32_t no_data = 0xffff'ffff;

    std::string_view mechanism;
    std::string_view data;  ///< the mechanism's first message; empty also when there is none

    static std::optional<SaslInitialResponse> decode(Bytes body) noexcept {
        ByteReader reader(body);
        SaslInitialResponse response{reader.c_string(), {}};
        const std::uint32_t size = reader.be32();
        if (size != no_data) {
            response.data = reader.text(size);
        }
        return reader.ok() && reader.at_end() ? std::optional(response) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
