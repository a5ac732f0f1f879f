#include "protocol/mysql/messages/ok_packet.hpp"

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {

std::optional<OkPacket> decode_ok(Bytes payload, Capabilities in_force) noexcept {
    ByteReader reader(payload);
    OkPacket ok;
    const std::uint8_t header = reader.u8();
    if (header != ok_header && header != end_header) {
        return std::nullopt;
    }
    ok.affected_rows = length_encoded_number(reader);
    length_encoded_number(reader);  // last insert id
    ok.status = ServerStatus(reader.le16());
    ok.warnings = reader.le16();
    if (!reader.ok()) {
        return std::nullopt;
    }
    // Servers leave out what is empty, and the flag may promise a state that does not come. Without
    // session tracking the rest may as well be bare text.
    if (!in_force.has(Capability::session_track)) {
        ByteReader rest = reader;
        const Bytes info = as_bytes(length_encoded_text(rest));
        ok.info = rest.ok() && rest.at_end() ? info : Bytes();
    } else if (!reader.at_end()) {
        ok.info = as_bytes(length_encoded_text(reader));
        if (ok.status.has(StatusFlag::session_state_changed) && !reader.at_end()) {
            ok.session_state = as_bytes(length_encoded_text(reader));
        }
    }
    return reader.ok() ? std::optional(ok) : std::nullopt;
}

std::optional<OkPacket> decode_eof(Bytes payload) noexcept {
    ByteReader reader(payload);
    OkPacket end;
    if (reader.u8() != end_header) {
        return std::nullopt;
    }
    end.warnings = reader.le16();
    end.status = ServerStatus(reader.le16());
    return reader.ok() ? std::optional(end) : std::nullopt;
}

}  // namespace isotap::mysql
