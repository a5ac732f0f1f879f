#include "tests/integration/truth/mysql_client.hpp"

#include <algorithm>
#include <stdexcept>

#include "isotap/base/byte_reader.hpp"

#include "protocol/mysql/field_type.hpp"
#include "protocol/mysql/length_encoded.hpp"

namespace isotap::test {
namespace {

using mysql::FieldType;
using mysql::length_encoded_number;
using mysql::length_encoded_text;

constexpr std::uint8_t quit_command = 0x01;
constexpr std::uint8_t prepare_command = 0x16;
constexpr std::uint8_t execute_command = 0x17;
constexpr std::uint8_t error_head = 0xff;

ByteReader reader_of(const MysqlPacket& packet) {
    return ByteReader(as_bytes(packet.payload));
}

MysqlAnswer failure(const MysqlPacket& packet) {
    ByteReader reader = reader_of(packet);
    reader.u8();
    MysqlAnswer answer;
    answer.error = reader.le16();
    answer.message = reader.text(reader.rest().size());
    return answer;
}

FieldType type_of(const MysqlPacket& definition) {
    ByteReader reader = reader_of(definition);
    for (int i = 0; i < 6; ++i) {
        length_encoded_text(reader);
    }
    reader.take(7);  // how long the rest is, character set, length
    return static_cast<FieldType>(reader.u8());
}

std::string binary_value(ByteReader& reader, FieldType type) {
    const Bytes value = take_value(reader, type);
    ByteReader number(value);
    switch (type) {
        case FieldType::int32: return std::to_string(static_cast<std::int32_t>(number.le32()));
        case FieldType::int64: return std::to_string(static_cast<std::int64_t>(number.le64()));
        default: return std::string(as_text(value));
    }
}

std::vector<std::string> binary_row(ByteReader reader, const std::vector<FieldType>& types) {
    reader.u8();
    const Bytes nulls = reader.take((types.size() + 9) / 8);
    std::vector<std::string> row(types.size());
    for (std::size_t i = 0; i < types.size(); ++i) {
        const bool null = (nulls[(i + 2) / 8] >> ((i + 2) % 8) & 1U) != 0;
        if (!null) row[i] = binary_value(reader, types[i]);
    }
    return row;
}

std::vector<std::string> text_row(ByteReader reader, std::size_t columns) {
    constexpr std::uint8_t null_value = 0xfb;
    std::vector<std::string> row(columns);
    for (std::string& value : row) {
        if (!reader.at_end() && reader.rest().front() == null_value) {
            reader.u8();
        } else {
            value = length_encoded_text(reader);
        }
    }
    return row;
}

MysqlAnswer answer_of(const std::vector<MysqlPacket>& reply, bool binary) {
    for (const std::size_t at : {std::size_t{0}, reply.size() - 1}) {
        if (reply[at].head() == error_head) return failure(reply[at]);
        if (reply[at].payload.empty()) throw std::runtime_error("the connection has ended");
    }
    MysqlAnswer answer;
    if (reply.front().head() == 0) {
        return answer;
    }
    const std::size_t columns = reply.front().head();
    std::vector<FieldType> types;
    for (std::size_t i = 1; i <= columns; ++i) {
        types.push_back(type_of(reply.at(i)));
    }
    // One packet ends the definitions, one the rows.
    for (std::size_t i = columns + 2; i + 1 < reply.size(); ++i) {
        answer.rows.push_back(binary ? binary_row(reader_of(reply[i]), types)
                                     : text_row(reader_of(reply[i]), columns));
    }
    return answer;
}

bool is_number(const std::string& value) {
    return !value.empty() &&
           std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Values as an EXECUTE has them: none is NULL.
std::string parameters(const std::vector<std::string>& values) {
    constexpr int bigint_type = 8;
    constexpr int text_type = 253;
    if (values.empty()) {
        return {};
    }
    std::string types;
    std::string bytes;
    for (const std::string& value : values) {
        if (is_number(value)) {
            types += mysql_number(bigint_type, 2);
            bytes += mysql_number(std::stoull(value), 8);
        } else {
            types += mysql_number(text_type, 2);
            bytes += mysql_number(value.size(), 1) + value;
        }
    }
    return mysql_number(0, static_cast<int>(values.size() + 7) / 8) + mysql_number(1, 1) + types +
           bytes;
}

}  // namespace

MysqlClient::MysqlClient(std::uint16_t port, const std::string& user) : wire_({.port = port}) {
    MysqlLogin login;
    login.user = user;
    if (wire_.log_in(login).head() != 0) {
        throw std::runtime_error(user + " is not let in");
    }
}

MysqlAnswer MysqlClient::query(std::string_view sql) {
    return answer_of(wire_.query(sql), false);
}

MysqlAnswer MysqlClient::execute(const std::string& sql, const std::vector<std::string>& values) {
    auto found = prepared_.find(sql);
    if (found == prepared_.end()) {
        const auto reply = wire_.command(prepare_command, sql);
        if (reply.front().head() != 0) {
            return failure(reply.front());
        }
        ByteReader reader = reader_of(reply.front());
        reader.u8();
        found = prepared_.emplace(sql, reader.le32()).first;
    }
    const std::string head =
        mysql_number(found->second, 4) + mysql_number(0, 1) + mysql_number(1, 4);
    return answer_of(wire_.command(execute_command, head + parameters(values)), true);
}

void MysqlClient::quit() {
    wire_.send(mysql_command(quit_command));
}

}  // namespace isotap::test
