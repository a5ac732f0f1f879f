#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

#include "protocol/postgres/message_type.hpp"

namespace isotap::postgres::backend {

/// CommandComplete: what a statement was and how many rows it touched. Views live as long as the
/// body.
struct CommandComplete {
    static constexpr BackendType type = BackendType::command_complete;

    std::string_view tag;

    /// The count at the end of the tag (`INSERT 0 3`, `SELECT 7`); 0 where there is none.
    [[nodiscard]] std::uint64_t rows() const noexcept {
        const std::size_t space = tag.rfind(' ');
        std::uint64_t count = 0;
        if (space != std::string_view::npos) {
            std::from_chars(tag.data() + space + 1, tag.data() + tag.size(), count);
        }
        return count;
    }

    static std::optional<CommandComplete> decode(Bytes body) noexcept {
        ByteReader reader(body);
        const CommandComplete complete{reader.c_string()};
        return reader.ok() ? std::optional(complete) : std::nullopt;
    }
};

}  // namespace isotap::postgres::backend
