#include "protocol/mysql/messages/query_request.hpp"

#include <cstdint>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/field_type.hpp"
#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {
namespace {

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
            take_value(reader, type);
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
