#pragma once

#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// Bind: makes `portal` from `statement`. What follows are formats, parameters and result formats.
/// Views live as long as the body.
struct Bind {
    static constexpr FrontendType type = FrontendType::bind;

    std::string_view portal;
    std::string_view statement;

    static std::optional<Bind> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const Bind bind{reader.c_string(), reader.c_string()};
        return reader.ok() ? std::optional(bind) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
