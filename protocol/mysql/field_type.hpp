#pragma once

#include <cstdint>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {

/// Types of values in the binary protocol, as far as their length on the wire goes. All others
/// have their length in front.
enum class FieldType : std::uint8_t {
    tiny = 1,
    int16 = 2,
    int32 = 3,
    float32 = 4,
    float64 = 5,
    null = 6,
    timestamp = 7,
    int64 = 8,
    int24 = 9,
    date = 10,
    time = 11,
    datetime = 12,
    year = 13,
    boolean = 244,
};

/// The bytes of one value, without its length.
inline Bytes take_value(ByteReader& reader, FieldType type) noexcept {
    switch (type) {
        case FieldType::null: return {};
        case FieldType::tiny:
        case FieldType::boolean: return reader.take(1);
        case FieldType::int16:
        case FieldType::year: return reader.take(2);
        case FieldType::int32:
        case FieldType::int24:
        case FieldType::float32: return reader.take(4);
        case FieldType::int64:
        case FieldType::float64: return reader.take(8);
        case FieldType::timestamp:
        case FieldType::date:
        case FieldType::time:
        case FieldType::datetime: return reader.take(reader.u8());
    }
    return as_bytes(length_encoded_text(reader));
}

}  // namespace isotap::mysql
