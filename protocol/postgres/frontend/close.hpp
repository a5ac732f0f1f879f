#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// What Describe and Close speak of.
enum class ObjectKind : std::uint8_t { statement = 'S', portal = 'P' };

/// Close: forgets a statement or a portal. The name lives as long as the body.
struct Close {
    static constexpr FrontendType type = FrontendType::close;

    ObjectKind kind{};
    std::string_view object;

    static std::optional<Close> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const Close close{static_cast<ObjectKind>(reader.u8()), reader.c_string()};
        return reader.ok() ? std::optional(close) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
