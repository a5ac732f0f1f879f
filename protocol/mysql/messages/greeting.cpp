#include "protocol/mysql/messages/greeting.hpp"

#include "isotap/base/byte_reader.hpp"

namespace isotap::mysql {

std::optional<Greeting> decode_greeting(Bytes payload) noexcept {
    ByteReader reader(payload);
    Greeting greeting;
    if (reader.u8() != greeting_version) {
        return std::nullopt;
    }
    greeting.server_version = reader.c_string();
    greeting.connection_id = reader.le32();
    reader.take(8);  // first part of the scramble
    reader.take(1);  // filler
    std::uint32_t mysql_bits = reader.le16();
    std::uint32_t mariadb_bits = 0;
    if (!reader.at_end()) {
        reader.take(1);  // character set
        greeting.status = ServerStatus(reader.le16());
        mysql_bits |= static_cast<std::uint32_t>(reader.le16()) << 16;
        const std::size_t scramble_size = reader.u8();
        reader.take(6);  // reserved
        const std::uint32_t reserved = reader.le32();
        if (!Capabilities(mysql_bits, 0).has(Capability::long_password)) {
            mariadb_bits = reserved;
        }
        if (!reader.at_end()) {
            constexpr std::size_t rest_min = 13;
            constexpr std::size_t first_part = 8;
            const std::size_t second_part =
                scramble_size > first_part + rest_min ? scramble_size - first_part : rest_min;
            reader.take(second_part);
        }
        if (Capabilities(mysql_bits, 0).has(Capability::plugin_auth)) {
            // Some servers forget the final NUL.
            greeting.plugin = as_text(reader.rest());
            greeting.plugin = greeting.plugin.substr(0, greeting.plugin.find('\0'));
        }
    }
    greeting.capabilities = Capabilities(mysql_bits, mariadb_bits);
    return reader.ok() ? std::optional(greeting) : std::nullopt;
}

std::optional<std::size_t> greeting_capabilities_offset(Bytes payload) noexcept {
    ByteReader reader(payload);
    reader.u8();
    reader.c_string();
    reader.take(4 + 8 + 1);
    const std::size_t offset = payload.size() - reader.rest().size();
    reader.le16();
    return reader.ok() ? std::optional(offset) : std::nullopt;
}

}  // namespace isotap::mysql
