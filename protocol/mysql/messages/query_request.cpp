#include "protocol/mysql/messages/query_request.hpp"

#include <cstdint>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {
namespace {

/// Types of parameters, as far as their length on the wire goes.
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

void skip_value(ByteReader& reader, FieldType type) noexcept {
    switch (type) {
        case FieldType::null: return;
        case FieldType::tiny:
        case FieldType::boolean: reader.take(1); return;
        case FieldType::int16:
        case FieldType::year: reader.take(2); return;
        case FieldType::int32:
        case FieldType::int24:
        case FieldType::float32: reader.take(4); return;
        case FieldType::int64:
        case FieldType::float64: reader.take(8); return;
        case FieldType::timestamp:
        case FieldType::date:
        case FieldType::time:
        case FieldType::datetime: reader.take(reader.u8()); return;
    }
    length_encoded_text(reader);
}

void skip_attributes(ByteReader& reader) noexcept {
    const std::uint64_t count = length_encoded_number(reader);
    length_encoded_number(reader);  // number of sets: always 1
    if (count == 0) {
        return;
    }
    if (count > reader.rest().size()) {  // each one takes bytes
        reader.take(reader.rest().size() + 1);
        return;
    }
    const Bytes nulls = reader.take((count + 7) / 8);
    reader.u8();  // 'types follow': always 1
    ByteReader types = reader;
    for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
        reader.take(2);
        length_encoded_text(reader);  // name
    }
    for (std::uint64_t i = 0; i < count && reader.ok(); ++i) {
        const auto type = static_cast<FieldType>(types.le16() & 0xff);
        length_encoded_text(types);
        if ((nulls[i / 8] >> (i % 8) & 1) == 0) {
            skip_value(reader, type);
        }
    }
}

}  // namespace

std::optional<std::string_view> decode_query_text(Bytes payload, Capabilities in_force) noexcept {
    ByteReader reader(payload);
    reader.u8();  // the command
    if (in_force.has(Capability::query_attributes)) {
        skip_attributes(reader);
    }
    return reader.ok() ? std::optional(as_text(reader.rest())) : std::nullopt;
}

}  // namespace isotap::mysql
