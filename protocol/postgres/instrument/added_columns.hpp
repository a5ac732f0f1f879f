#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "isotap/base/byte_reader.hpp"
#include "isotap/protocol/session.hpp"

#include "protocol/postgres/instrument/message_space.hpp"
#include "protocol/postgres/message_type.hpp"

/// Columns that instrumentation added to a result: taken out of what goes to the client.
namespace isotap::postgres::instrument {

/// A value of a row; a view of the message.
struct Field {
    std::string_view text;
    bool null = false;
};

/// What is left of a DataRow or RowDescription: the first `columns` columns, in the first `size`
/// bytes of its body.
struct Kept {
    std::uint16_t columns = 0;
    std::size_t size = 0;
};

/// Cuts the last `added` values off a DataRow, into `values`, which it empties first. Nothing for a
/// body that is none, or that has fewer columns.
inline std::optional<Kept> cut_row(Bytes body, std::size_t added, std::vector<Field>& values) {
    constexpr std::uint32_t null_value = 0xffff'ffff;
    values.clear();
    ByteReader reader(body);
    const std::uint16_t columns = reader.be16();
    if (columns < added) {
        return std::nullopt;
    }
    Kept kept{static_cast<std::uint16_t>(columns - added), 0};
    for (std::uint16_t i = 0; i < columns; ++i) {
        if (i == kept.columns) {
            kept.size = body.size() - reader.rest().size();
        }
        const std::uint32_t size = reader.be32();
        const bool null = size == null_value;
        const std::string_view text = reader.text(null ? 0 : size);
        if (i >= kept.columns) {
            values.push_back({text, null});
        }
        if (!reader.ok()) {
            return std::nullopt;
        }
    }
    if (added == 0) {
        kept.size = body.size();
    }
    return reader.ok() && reader.at_end() ? std::optional(kept) : std::nullopt;
}

/// text, and the types whose text needs no cast: int2, int4, int8, oid, xid, xid8, uuid.
inline bool is_type_of_ours(std::uint32_t type) noexcept {
    constexpr std::array<std::uint32_t, 8> ours{25, 21, 23, 20, 26, 28, 5069, 2950};
    return std::find(ours.begin(), ours.end(), type) != ours.end();
}

/// The same of a RowDescription. Nothing, too, when an added column is of another type than ours,
/// or has a name that does not begin with `prefix`.
inline std::optional<Kept> cut_description(Bytes body, std::size_t added,
                                           std::string_view prefix) noexcept {
    ByteReader reader(body);
    const std::uint16_t columns = reader.be16();
    if (columns < added) {
        return std::nullopt;
    }
    Kept kept{static_cast<std::uint16_t>(columns - added), 0};
    for (std::uint16_t i = 0; i < columns; ++i) {
        if (i == kept.columns) {
            kept.size = body.size() - reader.rest().size();
        }
        const std::string_view name = reader.c_string();
        reader.be32();  // table
        reader.be16();  // column
        const std::uint32_t type = reader.be32();
        reader.be16();  // size
        reader.be32();  // modifier
        reader.be16();  // format
        if (!reader.ok() ||
            (i >= kept.columns && (!is_type_of_ours(type) || !name.starts_with(prefix)))) {
            return std::nullopt;
        }
    }
    if (added == 0) {
        kept.size = body.size();
    }
    return reader.at_end() ? std::optional(kept) : std::nullopt;
}

/// The message with what is left.
inline Bytes shortened(BackendType type, Bytes body, const Kept& kept, protocol::Actions& actions) {
    constexpr std::size_t count_size = 2;
    MessageSpace message(actions, static_cast<std::uint8_t>(type), kept.size);
    message.be16(kept.columns);
    message.bytes(body.subspan(count_size, kept.size - count_size));
    return message.whole();
}

}  // namespace isotap::postgres::instrument
