#include "tests/unit/mysql/packets.hpp"

#include "protocol/mysql/packet_reader.hpp"

namespace isotap::mysql::test {

std::string number(std::uint64_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) {
        bytes += static_cast<char>(value & 0xff);
        value >>= 8;
    }
    return bytes;
}

std::string length_encoded(std::string_view text) {
    const std::string length =
        text.size() < 251 ? number(text.size(), 1) : "\xfc" + number(text.size(), 2);
    return length + std::string(text);
}

std::string packet(std::uint8_t sequence, std::string_view payload) {
    return number(payload.size(), 3) + number(sequence, 1) + std::string(payload);
}

std::string frames(std::uint8_t sequence, std::string_view payload) {
    std::string bytes;
    for (;;) {
        const std::string_view part = payload.substr(0, frame_size_max);
        bytes += packet(sequence++, part);
        payload.remove_prefix(part.size());
        if (part.size() < frame_size_max) {
            return bytes;
        }
    }
}

std::string greeting(Capabilities capabilities, std::string_view version,
                     std::uint32_t connection_id) {
    const std::uint64_t bits = capabilities.bits();
    std::string payload = "\x0a" + std::string(version) + '\0';
    payload += number(connection_id, 4) + "scramble" + number(0, 1);
    payload += number(bits & 0xffff, 2) + number(45, 1) + number(autocommit, 2);
    payload += number(bits >> 16 & 0xffff, 2) + number(21, 1);
    payload += number(0, 6) + number(bits >> 32, 4);
    payload += "and-12-bytes" + number(0, 1) + "mysql_native_password" + number(0, 1);
    return packet(0, payload);
}

std::string handshake_response(Capabilities capabilities, std::uint8_t sequence,
                               std::string_view user, std::string_view database,
                               std::string_view attributes) {
    std::string payload = number(capabilities.mysql_bits(), 4) + number(1 << 24, 4);
    payload += number(45, 1) + number(0, 19) + number(capabilities.bits() >> 32, 4);
    payload += std::string(user) + '\0' + length_encoded("12345678901234567890");
    if (capabilities.has(Capability::connect_with_db)) {
        payload += std::string(database) + '\0';
    }
    payload += std::string("mysql_native_password") + '\0';
    if (capabilities.has(Capability::connect_attributes)) {
        payload += length_encoded(attributes);
    }
    return packet(sequence, payload);
}

std::string ssl_request(Capabilities capabilities) {
    return packet(1, number(capabilities.mysql_bits(), 4) + number(1 << 24, 4) + number(45, 1) +
                         number(0, 19) + number(capabilities.bits() >> 32, 4));
}

std::string ok(std::uint8_t sequence, std::uint16_t status, std::uint8_t affected_rows,
               std::string_view rest) {
    return packet(sequence, number(0, 1) + number(affected_rows, 1) + number(0, 1) +
                                number(status, 2) + number(0, 2) + std::string(rest));
}

std::string end_ok(std::uint8_t sequence, std::uint16_t status) {
    return packet(sequence, "\xfe" + number(0, 2) + number(status, 2) + number(0, 2));
}

std::string eof(std::uint8_t sequence, std::uint16_t status) {
    return packet(sequence, "\xfe" + number(0, 2) + number(status, 2));
}

std::string error(std::uint8_t sequence, std::uint16_t code, std::string_view state,
                  std::string_view message) {
    return packet(sequence,
                  "\xff" + number(code, 2) + '#' + std::string(state) + std::string(message));
}

std::string column(std::uint8_t sequence, std::string_view name) {
    std::string payload = length_encoded("def") + length_encoded("shop") + length_encoded("t") +
                          length_encoded("t") + length_encoded(name) + length_encoded(name);
    return packet(sequence, payload + "\x0c" + number(45, 2) + number(10, 4) + number(3, 1) +
                                number(0, 2) + number(0, 3));
}

std::string row(std::uint8_t sequence, std::string_view value) {
    return packet(sequence, length_encoded(value));
}

std::string result_set(std::uint8_t sequence, int rows, std::uint16_t status) {
    std::string bytes = packet(sequence, number(1, 1));
    bytes += column(++sequence);
    bytes += eof(++sequence, status);
    for (int i = 0; i < rows; ++i) {
        bytes += row(++sequence, "value " + std::to_string(i));
    }
    return bytes + eof(++sequence, status);
}

std::string query(std::string_view sql) {
    return command(0x03, sql);
}

std::string command(std::uint8_t code, std::string_view rest) {
    return frames(0, number(code, 1) + std::string(rest));
}

}  // namespace isotap::mysql::test
