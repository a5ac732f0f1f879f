#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

namespace isotap::postgres::instrument {

/// Field `P` of an ErrorResponse or NoticeResponse: a character of the client's text, from 1.
struct ErrorPosition {
    std::size_t value = 0;
    std::size_t offset = 0;  ///< of its digits in the body
    std::size_t size = 0;

    /// Nothing where there is none, or where it is no number.
    static std::optional<ErrorPosition> find(Bytes body) noexcept {
        ByteReader reader(body);
        while (const char field = static_cast<char>(reader.u8())) {
            const std::size_t offset = body.size() - reader.rest().size();
            const std::string_view text = reader.c_string();
            if (field != 'P') {
                continue;
            }
            ErrorPosition position{0, offset, text.size()};
            const auto [end, error] =
                std::from_chars(text.data(), text.data() + text.size(), position.value);
            const bool whole = error == std::errc{} && end == text.data() + text.size();
            return reader.ok() && whole && position.value > 0 ? std::optional(position)
                                                              : std::nullopt;
        }
        return std::nullopt;
    }
};

}  // namespace isotap::postgres::instrument
