#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "isotap/base/byte_reader.hpp"
#include "isotap/history/events.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::backend {

/// ErrorResponse: fields in any order, any of them missing; only what events carry is read. Views
/// live as long as the body.
struct ErrorResponse {
    static constexpr BackendType type = BackendType::error_response;

    std::string_view sql_state;

    /// As events carry it: five spaces unless the server gave five characters.
    [[nodiscard]] history::SqlState state() const noexcept;

    static std::optional<ErrorResponse> decode(Bytes body) noexcept;

    /// The whole message, for conditions that the proxy itself makes.
    static std::vector<std::uint8_t> encode_fatal(std::string_view sql_state,
                                                  std::string_view message);
};

}  // namespace isotap::postgres::backend
