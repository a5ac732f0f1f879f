#include "tests/integration/differential/mysql_speaker.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/integration/differential/mysql_comparable.hpp"

namespace isotap::test {
namespace {

constexpr std::uint8_t query = 0x03;
constexpr std::uint8_t stmt_prepare = 0x16;
constexpr std::uint8_t stmt_execute = 0x17;
constexpr std::uint8_t stmt_close = 0x19;
constexpr std::uint8_t stmt_fetch = 0x1c;
constexpr std::uint8_t err = 0xff;
constexpr std::uint8_t eof = 0xfe;
constexpr std::uint8_t file_asked_for = 0xfb;
constexpr std::size_t prepared_max = 4;

constexpr unsigned cursor_exists = 0x40;
constexpr unsigned last_row_sent = 0x80;

bool is_whole(const std::string& value) {
    const std::size_t first = value.starts_with("-") ? 1 : 0;
    return value.size() > first &&
           value.find_first_not_of("0123456789", first) == std::string::npos;
}

bool is_decimal(const std::string& value) {
    return !value.empty() && value.find('-') == std::string::npos &&
           value.find_first_not_of("0123456789.") == std::string::npos;
}

std::string with_values(std::string_view text, const std::vector<std::string>& values) {
    std::string whole;
    std::size_t used = 0;
    for (const char c : text) {
        if (c != '?' || used == values.size()) {
            whole += c;
            continue;
        }
        const std::string& value = values[used++];
        if (is_whole(value) || is_decimal(value)) {
            whole += value;
            continue;
        }
        whole += '\'';
        for (const char letter : value) {
            whole += letter == '\'' ? "''" : std::string(1, letter);
        }
        whole += '\'';
    }
    return whole;
}

std::string bound(const std::vector<std::string>& values) {
    if (values.empty()) {
        return {};
    }
    std::string bytes((values.size() + 7) / 8, '\0');
    bytes += '\1';
    std::string contents;
    for (const std::string& value : values) {
        if (is_whole(value)) {
            bytes += mysql_number(8, 2);
            contents += mysql_number(static_cast<std::uint64_t>(std::stoll(value)), 8);
        } else {
            bytes += mysql_number(is_decimal(value) ? 246 : 253, 2);
            contents += mysql_number(value.size(), 1) + value;
        }
    }
    return bytes + contents;
}

}  // namespace

MysqlSpeaker::MysqlSpeaker(std::uint16_t port, const MysqlLogin& login)
    : wire_(Endpoint{.port = port}),
      ends_with_eof_((login.capabilities & client_flag::deprecate_eof) == 0) {
    const MysqlPacket answer = wire_.log_in(login);
    if (answer.payload.empty() || answer.head() == err) {
        throw std::runtime_error("no login: " + readable(answer.payload));
    }
}

Heard MysqlSpeaker::say(std::string_view text, const std::vector<std::string>& values,
                        MysqlWay way) {
    heard_ = {};
    warnings_ = 0;
    if (way == MysqlWay::again && !prepared_.empty()) {
        execute(prepared_.front(), false);
        std::rotate(prepared_.begin(), prepared_.begin() + 1, prepared_.end());
    } else if (way == MysqlWay::text || way == MysqlWay::again) {
        binary_ = false;
        std::vector<MysqlPacket> reply = wire_.query(with_values(text, values));
        while (reply.back().head() == file_asked_for && reply.back().payload.size() > 1) {
            hear("file", reply.back());
            reply.pop_back();
            hear_results(reply);
            send_file();
            reply = wire_.read_reply(query);
        }
        hear_results(reply);
    } else if (prepare(text, values)) {
        execute(prepared_.back(), way == MysqlWay::cursor);
        if (way == MysqlWay::twice) execute(prepared_.back(), false);
        // MySQL 9 ends the reply in a way that no client understands where a statement that had a
        // cursor is executed without one.
        if (way == MysqlWay::cursor) close(prepared_.size() - 1);
    }
    return std::move(heard_);
}

Heard MysqlSpeaker::command(std::uint8_t code, std::string_view rest) {
    heard_ = {};
    for (const MysqlPacket& packet : wire_.command(code, rest)) {
        hear("packet", packet);
    }
    prepared_.clear();
    return std::move(heard_);
}

bool MysqlSpeaker::prepare(std::string_view text, const std::vector<std::string>& values) {
    if (prepared_.size() == prepared_max) {
        close(0);
    }
    std::vector<MysqlPacket> reply = wire_.command(stmt_prepare, text);
    if (reply.front().payload.empty() || reply.front().head() == err) {
        hear_results(reply);
        return false;
    }
    prepared_.push_back({static_cast<std::uint32_t>(number_at(reply.front().payload, 1, 4)),
                         std::string(text), values});
    reply.front().payload.replace(1, 4, "####");
    for (const MysqlPacket& packet : reply) {
        const bool end = packet.head() == eof && packet.payload.size() == 5;
        if (end) {
            hear_end(packet);
        } else {
            hear("prepared", packet);
        }
    }
    return true;
}

void MysqlSpeaker::execute(const Prepared& statement, bool with_cursor) {
    binary_ = true;
    const std::string id = mysql_number(statement.id, 4);
    hear_results(wire_.command(stmt_execute, id + (with_cursor ? '\1' : '\0') + mysql_number(1, 4) +
                                                 bound(statement.values)));
    while (with_cursor && (status_ & cursor_exists) != 0 && (status_ & last_row_sent) == 0) {
        const std::vector<MysqlPacket> reply = wire_.command(stmt_fetch, id + mysql_number(3, 4));
        for (std::size_t i = 0; i + 1 < reply.size(); ++i) {
            hear_row(reply[i]);
        }
        hear_end(reply.back());
        if (reply.back().head() == err || wire_.ended()) break;
    }
}

/// What LOAD DATA LOCAL asks for.
void MysqlSpeaker::send_file() {
    constexpr std::uint8_t behind_the_request = 2;
    wire_.send(mysql_packet(behind_the_request, "31\tloaded\n32\ttoo\n"));
    wire_.send(mysql_packet(behind_the_request + 1, ""));
}

void MysqlSpeaker::close(std::size_t number) {
    const auto one = prepared_.begin() + static_cast<std::ptrdiff_t>(number);
    wire_.send(mysql_command(stmt_close, mysql_number(one->id, 4)));
    prepared_.erase(one);
}

void MysqlSpeaker::hear_results(const std::vector<MysqlPacket>& reply) {
    for (std::size_t at = 0; at < reply.size();) {
        at = hear_result(reply, at);
    }
}

/// Where the next result begins.
std::size_t MysqlSpeaker::hear_result(const std::vector<MysqlPacket>& reply, std::size_t at) {
    const MysqlPacket& head = reply[at++];
    if (head.payload.empty() || head.head() == err || head.head() == 0) {
        hear_end(head);
        return at;
    }
    hear("columns", head);
    columns_.clear();
    const std::size_t width = width_of(head.payload[0]);
    const auto columns = width == 1 ? head.head() : number_at(head.payload, 1, width - 1);
    for (std::size_t i = 0; i < columns && at < reply.size(); ++i) {
        hear_column(reply[at++]);
    }
    if (ends_with_eof_ && at < reply.size()) {
        hear_end(reply[at]);
        const bool over = (status_ & cursor_exists) != 0;
        ++at;
        if (over) return at;
    }
    for (; at < reply.size(); ++at) {
        const bool end = reply[at].head() == err ||
                         (reply[at].head() == eof && reply[at].payload.size() < 0xffffff);
        if (end || reply[at].payload.empty()) {
            hear_end(reply[at]);
            return at + 1;
        }
        hear_row(reply[at]);
    }
    return at;
}

void MysqlSpeaker::hear_column(MysqlPacket packet) {
    columns_.push_back(kind_of_column(packet.payload));
    if (!from_the_source_) {
        packet.payload = without_source(packet.payload);
    }
    hear("column", packet);
}

void MysqlSpeaker::hear_row(const MysqlPacket& packet) {
    heard_.rows.push_back(readable(
        from_the_source_ ? packet.payload : comparable_row(packet.payload, columns_, binary_)));
}

void MysqlSpeaker::hear(const char* what, const MysqlPacket& packet) {
    heard_.lines.push_back(std::string(what) + ' ' + std::to_string(packet.sequence) + ' ' +
                           readable(packet.payload));
}

/// OK, ERR or EOF: without what tells of the plan.
void MysqlSpeaker::hear_end(MysqlPacket packet) {
    if (packet.payload.empty()) {
        hear("the end", packet);
        return;
    }
    if (packet.head() == err) {
        packet.payload = comparable_error(packet.payload);
        hear("error", packet);
        return;
    }
    const CompletionPlaces places = places_of(packet.payload);
    status_ = static_cast<std::uint16_t>(number_at(packet.payload, places.status, 2));
    warnings_ = static_cast<std::uint16_t>(number_at(packet.payload, places.warnings, 2));
    packet.payload = comparable_completion(packet.payload, tells_of_new_columns_);
    hear(packet.head() == 0 ? "ok" : "end", packet);
}

}  // namespace isotap::test
