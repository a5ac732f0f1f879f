#pragma once

#include <cstdint>
#include <string_view>

#include "isotap/base/byte_reader.hpp"

namespace isotap::mysql {

/// A number whose first byte tells how many follow. The reader fails on the bytes that mark NULL
/// and ERR: no number starts with them.
inline std::uint64_t length_encoded_number(ByteReader& reader) noexcept {
    const std::uint8_t first = reader.u8();
    switch (first) {
        case 0xfc: return reader.le16();
        case 0xfd: return reader.le24();
        case 0xfe: return reader.le64();
        case 0xfb:
        case 0xff: reader.take(reader.rest().size() + 1); return 0;
        default: return first;
    }
}

inline std::string_view length_encoded_text(ByteReader& reader) noexcept {
    return reader.text(length_encoded_number(reader));
}

}  // namespace isotap::mysql
