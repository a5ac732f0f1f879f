#pragma once

#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::frontend {

/// Parse: prepares `text` under `statement` (empty: the unnamed one). Views live as long as the
/// body.
struct Parse {
    static constexpr FrontendType type = FrontendType::parse;

    std::string_view statement;
    std::string_view text;
    Bytes parameter_types;  ///< a 16-bit count and that many 32-bit object ids, as they came

    static std::optional<Parse> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const Parse parse{reader.c_string(), reader.c_string(), reader.rest()};
        return reader.ok() ? std::optional(parse) : std::nullopt;
    }
};

}  // namespace isotap::postgres::frontend
