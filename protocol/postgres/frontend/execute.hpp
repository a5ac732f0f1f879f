#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// Execute: runs `portal` for at most `rows_max` rows (0: all). Views live as long as the body.
struct Execute {
    static constexpr FrontendType type = FrontendType::execute;

    std::string_view portal;
    std::uint32_t rows_max = 0;

    static std::optional<Execute> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const Execute execute{reader.c_string(), reader.be32()};
        return reader.ok() ? std::optional(execute) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
