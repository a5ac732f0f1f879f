#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "isotap/base/byte_reader.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/postgres/instrument/message_space.hpp"
#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::instrument {

/// The result formats of a Bind: where they begin in its body, and how many there are.
struct ResultFormats {
    std::size_t offset = 0;  ///< of the count
    std::uint16_t count = 0;

    /// Nothing for a body that is none: the server will say so.
    static std::optional<ResultFormats> find(Bytes body) noexcept {
        ByteReader reader(body);
        reader.c_string();
        reader.c_string();
        reader.take(reader.be16() * code_size);
        const std::uint16_t parameters = reader.be16();
        for (std::uint16_t i = 0; i < parameters && reader.ok(); ++i) {
            const std::uint32_t size = reader.be32();
            reader.take(size == null_value ? 0 : size);
        }
        const ResultFormats formats{body.size() - reader.rest().size(), reader.be16()};
        reader.take(formats.count * code_size);
        return reader.ok() && reader.at_end() ? std::optional(formats) : std::nullopt;
    }

    static constexpr std::size_t code_size = 2;
    static constexpr std::uint32_t null_value = 0xffff'ffff;
};

/// A Bind whose result has `added` more columns than its client knows of, in text. No code and one
/// code hold for any number of columns: such a Bind stays as it is, and nothing is returned.
inline std::optional<Bytes> with_formats_for(Bytes body, std::size_t added,
                                             protocol::Actions& actions) {
    const auto formats = ResultFormats::find(body);
    if (!formats || formats->count < 2 || formats->count + added > 0xffffU) {
        return std::nullopt;
    }
    MessageSpace bind(actions, static_cast<std::uint8_t>(FrontendType::bind),
                      body.size() + added * ResultFormats::code_size);
    bind.bytes(body.first(formats->offset));
    bind.be16(static_cast<std::uint16_t>(formats->count + added));
    bind.bytes(body.subspan(formats->offset + ResultFormats::code_size));
    for (std::size_t i = 0; i < added; ++i) {
        bind.be16(0);
    }
    return bind.whole();
}

/// A Bind whose client expects no columns at all. PostgreSQL lets it name formats all the same.
inline std::optional<Bytes> without_formats(Bytes body, protocol::Actions& actions) {
    const auto formats = ResultFormats::find(body);
    if (!formats || formats->count == 0) {
        return std::nullopt;
    }
    MessageSpace bind(actions, static_cast<std::uint8_t>(FrontendType::bind),
                      formats->offset + ResultFormats::code_size);
    bind.bytes(body.first(formats->offset));
    bind.be16(0);
    return bind.whole();
}

}  // namespace isotap::postgres::instrument
