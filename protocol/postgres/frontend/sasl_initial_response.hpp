#pragma once

#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// SASLInitialResponse: shares its type byte with every other answer to a request to authenticate.
/// Views live as long as the body.
struct SaslInitialResponse {
    static constexpr FrontendType type = FrontendType::password;

    std::string_view mechanism;

    static std::optional<SaslInitialResponse> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const SaslInitialResponse response{reader.c_string()};
        return reader.ok() ? std::optional(response) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
