#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isotap/base/byte_reader.hpp"
#include "isotap/base/bytes.hpp"

#include "protocol/mysql/length_encoded.hpp"
#include "protocol/mysql/messages/ok_packet.hpp"
#include "protocol/mysql/packet_reader.hpp"

/// Packets of our own making.
namespace isotap::mysql::instrument {

/// Appends a payload of any size, cut into frames; the number of the packet behind it.
inline std::uint8_t write_packet(Bytes payload, std::uint8_t sequence,
                                 std::vector<std::uint8_t>& out) {
    while (true) {
        const Bytes frame = payload.first(std::min<std::size_t>(payload.size(), frame_size_max));
        const std::size_t size = frame.size();
        out.insert(out.end(),
                   {static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(size >> 8),
                    static_cast<std::uint8_t>(size >> 16), sequence++});
        out.insert(out.end(), frame.begin(), frame.end());
        payload = payload.subspan(size);
        if (size < frame_size_max) {
            return sequence;
        }
    }
}

inline void append_short(std::uint16_t value, std::vector<std::uint8_t>& out) {
    out.push_back(static_cast<std::uint8_t>(value));
    out.push_back(static_cast<std::uint8_t>(value >> 8));
}

/// A length-encoded number.
inline void append_number(std::uint64_t value, std::vector<std::uint8_t>& out) {
    int width = 8;
    if (value < 0xfb) {
        width = 1;
    } else if (value <= 0xffff) {
        out.push_back(0xfc);
        width = 2;
    } else if (value <= 0xffffff) {
        out.push_back(0xfd);
        width = 3;
    } else {
        out.push_back(0xfe);
    }
    for (int i = 0; i < width; ++i) {
        out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

/// A length-encoded text.
inline void append_text(Bytes text, std::vector<std::uint8_t>& out) {
    append_number(text.size(), out);
    out.insert(out.end(), text.begin(), text.end());
}

/// Where the status stands in an OK or EOF, which has been understood as such before.
inline std::size_t status_offset(Bytes completion) noexcept {
    constexpr std::size_t eof_size = 5;
    constexpr std::size_t in_eof = 3;
    if (completion.size() == eof_size) {
        return in_eof;
    }
    ByteReader reader(completion);
    reader.u8();
    length_encoded_number(reader);  // affected rows
    length_encoded_number(reader);  // last insert id
    return completion.size() - reader.rest().size();
}

/// Sets a flag in such a packet.
inline void set_status(StatusFlag flag, std::vector<std::uint8_t>& completion) noexcept {
    const std::size_t at = status_offset(completion);
    const auto bits = static_cast<std::uint16_t>(flag);
    completion[at] |= static_cast<std::uint8_t>(bits);
    completion[at + 1] |= static_cast<std::uint8_t>(bits >> 8);
}

/// What the packet at the end of rows says in either form: an EOF has the warnings first.
struct CompletionEnd {
    std::uint16_t status = 0;
    std::uint16_t warnings = 0;
};

inline CompletionEnd read_completion_end(Bytes completion) noexcept {
    const std::size_t status = status_offset(completion);
    const bool last = status + sizeof(std::uint16_t) == completion.size();
    const std::size_t warnings =
        last ? status - sizeof(std::uint16_t) : status + sizeof(std::uint16_t);
    return {ByteReader(completion.subspan(status)).le16(),
            ByteReader(completion.subspan(warnings)).le16()};
}

}  // namespace isotap::mysql::instrument
