#pragma once

#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// Query: one text of any number of statements, run as one unit. Views live as long as the body.
struct Query {
    static constexpr FrontendType type = FrontendType::query;

    std::string_view text;

    static std::optional<Query> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const Query query{reader.c_string()};
        return reader.ok() ? std::optional(query) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
