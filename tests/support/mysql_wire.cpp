#include "tests/support/mysql_wire.hpp"

#include <array>
#include <stdexcept>

namespace isotap::test {
namespace {

constexpr std::size_t frame_max = 0xffffff;
constexpr std::uint8_t err = 0xff;
constexpr std::uint8_t end = 0xfe;
constexpr std::uint16_t more_results = 0x0008;
constexpr std::uint16_t cursor_exists = 0x0040;
constexpr std::uint16_t output_parameters = 0x1000;

std::uint64_t number_at(std::string_view text, std::size_t at, int width) {
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) {
        const auto byte = static_cast<std::uint8_t>(text.at(at + static_cast<std::size_t>(i)));
        value |= static_cast<std::uint64_t>(byte) << (8 * i);
    }
    return value;
}

/// How many bytes a length-coded number takes that starts with this one.
std::size_t width_of(char first) {
    switch (static_cast<std::uint8_t>(first)) {
        case 0xfc: return 3;
        case 0xfd: return 4;
        case 0xfe: return 9;
        default: return 1;
    }
}

bool is_end(const MysqlPacket& packet) {
    return packet.head() == end && packet.payload.size() < frame_max;
}

}  // namespace

std::string mysql_number(std::uint64_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i) {
        bytes += static_cast<char>(value & 0xff);
        value >>= 8;
    }
    return bytes;
}

std::string mysql_packet(std::uint8_t sequence, std::string_view payload) {
    std::string bytes;
    for (;;) {
        const std::string_view part = payload.substr(0, frame_max);
        bytes += mysql_number(part.size(), 3) + mysql_number(sequence++, 1);
        bytes += part;
        payload.remove_prefix(part.size());
        if (part.size() < frame_max) {
            return bytes;
        }
    }
}

std::string mysql_command(std::uint8_t code, std::string_view rest) {
    return mysql_packet(0, mysql_number(code, 1) + std::string(rest));
}

std::string MysqlWire::take(std::size_t count) {
    std::array<std::uint8_t, 64 * 1024> buffer{};
    while (waiting_.size() < count && !ended_) {
        const std::size_t got = stream_.receive(buffer);
        ended_ = got == 0;
        waiting_.append(reinterpret_cast<const char*>(buffer.data()), got);
    }
    if (waiting_.size() < count) {
        return {};
    }
    std::string taken = waiting_.substr(0, count);
    waiting_.erase(0, count);
    return taken;
}

MysqlPacket MysqlWire::read() {
    MysqlPacket packet;
    for (;;) {
        const std::string header = take(4);
        if (header.empty()) {
            return packet;
        }
        const auto size = static_cast<std::size_t>(number_at(header, 0, 3));
        packet.sequence = static_cast<std::uint8_t>(header[3]);
        packet.payload += take(size);
        if (size < frame_max) {
            return packet;
        }
    }
}

void MysqlWire::read_greeting() {
    greeting_ = read();
    if (greeting_.head() != 10) {
        return;
    }
    const std::size_t version_end = greeting_.payload.find('\0', 1);
    const std::size_t at = version_end + 1;
    connection_id_ = static_cast<std::uint32_t>(number_at(greeting_.payload, at, 4));
    server_ = static_cast<std::uint32_t>(number_at(greeting_.payload, at + 13, 2) |
                                         number_at(greeting_.payload, at + 18, 2) << 16);
}

std::string MysqlWire::response(const MysqlLogin& login, std::string_view proof) const {
    std::string payload = mysql_number(in_force_, 4) + mysql_number(1U << 30, 4) +
                          mysql_number(45, 1) + mysql_number(0, 19) +
                          mysql_number(login.mariadb, 4);
    payload += login.user + '\0' + mysql_number(proof.size(), 1) + std::string(proof);
    payload += std::string("shop") + '\0' + "mysql_native_password" + '\0';
    return payload;
}

MysqlPacket MysqlWire::log_in(const MysqlLogin& login) {
    read_greeting();
    if (greeting_.head() != 10) {
        return greeting_;
    }
    // Connect with database, protocol 4.1, secure connection, multiple results, plugins.
    constexpr std::uint32_t always = 0x8 | 0x200 | 0x8000 | 0x20000 | 0x40000 | 0x80000;
    in_force_ = (always | login.capabilities | client_flag::long_password) & ~login.without;
    std::uint8_t sequence = 1;
    if (login.tls) {
        in_force_ |= client_flag::ssl;
        send(mysql_packet(sequence++, response(login, "").substr(0, 32)));
        stream_.start_tls();
    }
    send(mysql_packet(sequence, response(login, "")));
    in_force_ &= server_;
    for (;;) {
        MysqlPacket packet = read();
        if (packet.payload.empty() || packet.head() == err || packet.head() == 0) {
            return packet;
        }
        // Any plugin takes an empty answer for an empty password.
        if (packet.head() == end) {
            send(mysql_packet(static_cast<std::uint8_t>(packet.sequence + 1), ""));
        }
    }
}

std::uint16_t MysqlWire::status_of(const MysqlPacket& packet) const {
    if (packet.head() == end && packet.payload.size() == 5) {
        return static_cast<std::uint16_t>(number_at(packet.payload, 3, 2));
    }
    std::size_t at = 1;
    at += width_of(packet.payload.at(at));
    at += width_of(packet.payload.at(at));
    return static_cast<std::uint16_t>(number_at(packet.payload, at, 2));
}

void MysqlWire::read_definitions(std::size_t count, bool left_out,
                                 std::vector<MysqlPacket>& reply) {
    for (std::size_t i = 0; i < count && !left_out; ++i) {
        reply.push_back(read());
    }
    if (count > 0 && !has(client_flag::deprecate_eof)) {
        reply.push_back(read());
    }
}

/// One result. True when another one follows.
bool MysqlWire::read_results(std::vector<MysqlPacket>& reply) {
    reply.push_back(read());
    const MysqlPacket head = reply.back();
    if (head.payload.empty() || head.head() == err || head.head() == 0xfb) {
        return false;
    }
    if (head.head() == 0) {
        return (status_of(head) & more_results) != 0;
    }
    const std::size_t width = width_of(head.payload[0]);
    const bool flagged = head.payload.size() > width;
    const bool metadata = !flagged || head.payload[width] != 0;
    const auto columns = static_cast<std::size_t>(
        width == 1 ? head.head() : number_at(head.payload, 1, static_cast<int>(width) - 1));
    read_definitions(columns, !metadata, reply);
    const bool outputs = is_end(reply.back()) && (status_of(reply.back()) & output_parameters) != 0;
    if (is_end(reply.back()) && (status_of(reply.back()) & cursor_exists) != 0) {
        return false;
    }
    for (;;) {
        reply.push_back(read());
        const MysqlPacket& row = reply.back();
        if (ended_ || row.head() == err) {
            return false;
        }
        if (is_end(row)) {
            return outputs || (status_of(row) & more_results) != 0;
        }
    }
}

std::vector<MysqlPacket> MysqlWire::read_reply(std::uint8_t code) {
    std::vector<MysqlPacket> reply;
    switch (code) {
        case 0x01:
        case 0x18:
        case 0x19: break;
        case 0x03:
        case 0x0a:
        case 0x17:
        case 0xfa:
            while (read_results(reply)) {
            }
            break;
        case 0x04:
        case 0x1c: do { reply.push_back(read());
            } while (!ended_ && !is_end(reply.back()) && reply.back().head() != err);
            break;
        case 0x16:
            reply.push_back(read());
            if (reply.front().head() == 0) {
                const std::string head = reply.front().payload;
                const bool metadata = head.size() < 13 || head[12] != 0;
                read_definitions(number_at(head, 7, 2), !metadata, reply);
                read_definitions(number_at(head, 5, 2), !metadata, reply);
            }
            break;
        default: reply.push_back(read());
    }
    return reply;
}

std::vector<MysqlPacket> MysqlWire::command(std::uint8_t code, std::string_view rest) {
    send(mysql_command(code, rest));
    return read_reply(code);
}

std::vector<MysqlPacket> MysqlWire::query(std::string_view sql) {
    const bool attributes = has(client_flag::query_attributes);
    return command(0x03, (attributes ? std::string("\0\1", 2) : std::string()) + std::string(sql));
}

}  // namespace isotap::test
