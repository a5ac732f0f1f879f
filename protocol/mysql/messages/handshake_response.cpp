#include "protocol/mysql/messages/handshake_response.hpp"

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/length_encoded.hpp"

namespace isotap::mysql {
namespace {

void read_head(ByteReader& reader, HandshakeResponse& response) noexcept {
    const std::uint32_t mysql_bits = reader.le32();
    reader.le32();  // largest packet
    response.collation = reader.u8();
    reader.take(19);  // reserved
    const std::uint32_t reserved = reader.le32();
    const bool speaks_mariadb = !Capabilities(mysql_bits, 0).has(Capability::long_password);
    response.capabilities = Capabilities(mysql_bits, speaks_mariadb ? reserved : 0);
}

void skip_auth_response(ByteReader& reader, Capabilities client) noexcept {
    if (client.has(Capability::plugin_auth_lenenc_data)) {
        length_encoded_text(reader);
    } else if (client.has(Capability::secure_connection)) {
        reader.take(reader.u8());
    } else {
        reader.c_string();
    }
}

std::string_view find_program(ByteReader reader) noexcept {
    ByteReader attributes(reader.take(length_encoded_number(reader)));
    while (attributes.ok() && !attributes.at_end()) {
        const std::string_view key = length_encoded_text(attributes);
        const std::string_view value = length_encoded_text(attributes);
        if (attributes.ok() && key == "program_name") {
            return value;
        }
    }
    return {};
}

}  // namespace

std::optional<HandshakeResponse> decode_handshake_response(Bytes payload,
                                                           Capabilities server) noexcept {
    ByteReader reader(payload);
    HandshakeResponse response;
    read_head(reader, response);
    if (!reader.ok() || !response.capabilities.has(Capability::protocol_41)) {
        return std::nullopt;
    }
    if (reader.at_end()) {
        return response;
    }
    const Capabilities both = response.capabilities & server;
    response.user = reader.c_string();
    skip_auth_response(reader, both);
    if (both.has(Capability::connect_with_db) && !reader.at_end()) {
        response.database = reader.c_string();
    }
    if (both.has(Capability::plugin_auth) && !reader.at_end()) {
        reader.c_string();
    }
    if (!reader.ok()) {
        return std::nullopt;
    }
    if (both.has(Capability::connect_attributes)) {
        // Attributes are for people: a broken list is no reason to doubt the rest.
        response.program = find_program(reader);
    }
    return response;
}

}  // namespace isotap::mysql
