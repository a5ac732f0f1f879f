#include "protocol/mysql/instrument/result_row.hpp"

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql::instrument {
namespace {

constexpr std::uint8_t null_value = 0xfb;

bool is_integer(FieldType type) noexcept {
    return type == FieldType::tiny || type == FieldType::int16 || type == FieldType::int24 ||
           type == FieldType::int32 || type == FieldType::int64;
}

std::string integer_text(Bytes value, bool is_unsigned) {
    std::uint64_t number = 0;
    for (std::size_t i = value.size(); i > 0; --i) {
        number = number << 8 | value[i - 1];
    }
    const std::size_t bits = value.size() * 8;
    const bool negative = !is_unsigned && bits > 0 && (number >> (bits - 1) & 1) != 0;
    if (!negative) {
        return std::to_string(number);
    }
    if (bits < 64) {
        number |= ~std::uint64_t{0} << bits;
    }
    return std::to_string(static_cast<std::int64_t>(number));
}

}  // namespace

std::optional<Column> read_column(Bytes definition, bool extended_metadata) noexcept {
    constexpr std::uint16_t unsigned_flag = 0x20;
    ByteReader reader(definition);
    constexpr int names = 6;  // catalogue, schema, table and column, each as used and as it is
    for (int i = 0; i < names; ++i) {
        length_encoded_text(reader);
    }
    if (extended_metadata) {
        length_encoded_text(reader);
    }
    length_encoded_number(reader);  // of what follows
    reader.le16();                  // character set
    reader.le32();                  // length
    Column column;
    column.type = static_cast<FieldType>(reader.u8());
    column.is_unsigned = (reader.le16() & unsigned_flag) != 0;
    return reader.ok() ? std::optional(column) : std::nullopt;
}

std::optional<Bytes> RowCutter::cut_text(Bytes row, std::size_t columns, std::size_t added) {
    values_.clear();
    ByteReader reader(row);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        if (i == columns - added) {
            kept = row.size() - reader.rest().size();
        }
        const bool null = !reader.at_end() && reader.rest().front() == null_value;
        Value value{{}, null};
        if (null) {
            reader.u8();
        } else {
            value.text = length_encoded_text(reader);
        }
        if (i >= columns - added) {
            values_.push_back(value);
        }
    }
    return reader.ok() && reader.at_end() ? std::optional(row.first(kept)) : std::nullopt;
}

std::optional<Bytes> RowCutter::cut_binary(Bytes row, std::span<const Column> columns,
                                           std::size_t added) {
    constexpr std::size_t offset = 2;  // of the first column in the bitmap
    const auto bitmap_size = [](std::size_t count) { return (count + offset + 7) / 8; };
    values_.clear();
    numbers_.resize(added);
    const std::size_t left = columns.size() - added;
    ByteReader reader(row);
    const std::uint8_t header = reader.u8();
    const Bytes nulls = reader.take(bitmap_size(columns.size()));
    if (!reader.ok() || header != 0) {
        return std::nullopt;
    }
    const Bytes all = reader.rest();
    std::size_t kept = all.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (i == left) {
            kept = all.size() - reader.rest().size();
        }
        const bool null = (nulls[(i + offset) / 8] >> ((i + offset) % 8) & 1) != 0;
        const Bytes value = null ? Bytes() : take_value(reader, columns[i].type);
        if (i < left) {
            continue;
        }
        if (!null && is_integer(columns[i].type)) {
            numbers_[i - left] = integer_text(value, columns[i].is_unsigned);
            values_.push_back({numbers_[i - left], false});
        } else {
            values_.push_back({as_text(value), null});
        }
    }
    if (!reader.ok() || !reader.at_end()) {
        return std::nullopt;
    }
    shrunk_.assign(1, 0);
    const Bytes shorter = nulls.first(bitmap_size(left));
    shrunk_.insert(shrunk_.end(), shorter.begin(), shorter.end());
    const std::size_t used = (left + offset) % 8;
    if (used != 0) {
        shrunk_.back() = static_cast<std::uint8_t>(shrunk_.back() & ((1U << used) - 1));
    }
    shrunk_.insert(shrunk_.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
    return Bytes(shrunk_);
}

}  // namespace isotap::mysql::instrument
