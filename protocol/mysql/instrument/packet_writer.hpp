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

/// Sets a flag in an OK or EOF, which has been understood as such before.
inline void set_status(StatusFlag flag, std::vector<std::uint8_t>& payload) noexcept {
    constexpr std::size_t eof_size = 5;
    constexpr std::size_t status_of_eof = 3;
    std::size_t at = status_of_eof;
    if (payload.size() != eof_size) {
        ByteReader reader(payload);
        reader.u8();
        length_encoded_number(reader);  // affected rows
        length_encoded_number(reader);  // last insert id
        at = payload.size() - reader.rest().size();
    }
    const auto bits = static_cast<std::uint16_t>(flag);
    payload[at] |= static_cast<std::uint8_t>(bits);
    payload[at + 1] |= static_cast<std::uint8_t>(bits >> 8);
}

/// What the packet at the end of rows says in either form, EOF or OK.
struct CompletionEnd {
    std::uint16_t status = 0;
    std::uint16_t warnings = 0;
};

/// `payload` has been understood as such a packet before.
inline CompletionEnd read_completion_end(Bytes payload) noexcept {
    constexpr std::size_t eof_size = 5;
    ByteReader reader(payload);
    reader.u8();
    CompletionEnd end;
    if (payload.size() == eof_size) {
        end.warnings = reader.le16();
        end.status = reader.le16();
        return end;
    }
    length_encoded_number(reader);  // affected rows
    length_encoded_number(reader);  // last insert id
    end.status = reader.le16();
    end.warnings = reader.le16();
    return end;
}

}  // namespace isotap::mysql::instrument
