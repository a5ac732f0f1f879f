#include "protocol/mysql/messages/error_packet.hpp"

#include <algorithm>

#include "isotap/base/byte_reader.hpp"

namespace isotap::mysql {

std::optional<ErrorPacket> decode_error(Bytes payload) noexcept {
    ByteReader reader(payload);
    ErrorPacket error;
    if (reader.u8() != error_header) {
        return std::nullopt;
    }
    error.number = reader.le16();
    if (!reader.at_end() && reader.rest().front() == '#') {
        reader.u8();
        const std::string_view state = reader.text(error.sql_state.size());
        std::copy(state.begin(), state.end(), error.sql_state.begin());
    }
    error.message = as_text(reader.rest());
    return reader.ok() ? std::optional(error) : std::nullopt;
}

void encode_error(const ErrorPacket& error, std::uint8_t sequence, std::vector<std::uint8_t>& out) {
    const std::size_t start = out.size();
    const auto number_low = static_cast<std::uint8_t>(error.number);
    const auto number_high = static_cast<std::uint8_t>(error.number >> 8);
    out.insert(out.end(), {0, 0, 0, sequence, error_header, number_low, number_high, '#'});
    out.insert(out.end(), error.sql_state.begin(), error.sql_state.end());
    // The servers' own messages are no longer either.
    const std::string_view message = error.message.substr(0, 512);
    out.insert(out.end(), message.begin(), message.end());
    const std::size_t size = out.size() - start - 4;
    out[start] = static_cast<std::uint8_t>(size);
    out[start + 1] = static_cast<std::uint8_t>(size >> 8);
}

}  // namespace isotap::mysql
