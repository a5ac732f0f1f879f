#include "tests/wire/mysql_talk.hpp"

#include <cctype>

#include <fmt/core.h>

namespace isotap::test {
namespace {

std::string printable(std::string_view bytes) {
    constexpr std::size_t shown = 400;
    std::string text;
    for (const char letter : bytes.substr(0, shown)) {
        const auto byte = static_cast<unsigned char>(letter);
        text += std::isprint(byte) != 0 ? std::string(1, letter) : fmt::format("\\{:02x}", byte);
    }
    if (bytes.size() > shown) {
        text +=
            fmt::format("… {} bytes, hash {}", bytes.size(), std::hash<std::string_view>{}(bytes));
    }
    return text;
}

/// The greeting without connection id and scramble.
std::string masked_greeting(std::string payload) {
    const std::size_t id = payload.find('\0', 1) + 1;
    payload.replace(id, 4, "<id>");
    payload.replace(id + 4, 8, "<scramb>");
    payload.replace(id + 31, 12, "<scramble-2>");
    return payload;
}

}  // namespace

void MysqlTalk::write_down(MysqlPacket packet) {
    constexpr std::uint8_t end_of_rows = 0xfe;
    constexpr std::size_t status_at = 3;
    constexpr unsigned char index_flags = 0x30;
    if (index_flags_ == IndexFlags::masked && packet.head() == end_of_rows &&
        packet.payload.size() > status_at) {
        packet.payload[status_at] =
            static_cast<char>(static_cast<unsigned char>(packet.payload[status_at]) & ~index_flags);
    }
    std::string line = fmt::format("{:3} {}", packet.sequence, printable(packet.payload));
    // MariaDB numbers statements over all connections, and names the number in errors.
    for (const auto& [number, name] : statements_) {
        const std::size_t at = line.find(number);
        if (at != std::string::npos) line.replace(at, number.size(), name);
    }
    lines_.push_back(std::move(line));
}

void MysqlTalk::take_prepared(MysqlPacket& head) {
    constexpr std::size_t at = 1;
    constexpr std::size_t width = 4;
    prepared_ = head.payload.substr(at, width);
    std::uint32_t number = 0;
    for (std::size_t i = width; i-- > 0;) {
        number = number << 8 | static_cast<std::uint8_t>(prepared_[i]);
    }
    const std::string name = fmt::format("<statement {}>", statements_.size());
    statements_.emplace_back(fmt::format("({})", number), name);
    head.payload.replace(at, width, name);
}

void MysqlTalk::log_in(const MysqlLogin& login) {
    const MysqlPacket last = wire_.log_in(login);
    MysqlPacket greeting = wire_.greeting();
    if (greeting.head() == 10) {
        greeting.payload = masked_greeting(greeting.payload);
        write_down(greeting);
    }
    write_down(last);
}

void MysqlTalk::query(std::string_view sql) {
    for (const MysqlPacket& packet : wire_.query(sql)) {
        write_down(packet);
    }
}

void MysqlTalk::command(std::uint8_t code, std::string_view rest) {
    send(mysql_command(code, rest));
    reply_to(code);
}

void MysqlTalk::reply_to(std::uint8_t code) {
    constexpr std::uint8_t prepare = 0x16;
    std::vector<MysqlPacket> reply = wire_.read_reply(code);
    if (code == prepare && reply.front().head() == 0) {
        take_prepared(reply.front());
    }
    for (const MysqlPacket& packet : reply) {
        write_down(packet);
    }
}

void MysqlTalk::one_packet() {
    write_down(wire_.read());
}

void MysqlTalk::to_the_end() {
    while (!wire_.ended()) {
        const MysqlPacket packet = wire_.read();
        if (!packet.payload.empty()) write_down(packet);
    }
    lines_.emplace_back("end");
}

}  // namespace isotap::test
