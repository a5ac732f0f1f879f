#include "tests/support/postgres_wire.hpp"

#include <array>
#include <stdexcept>

#include "isotap/base/byte_reader.hpp"

namespace isotap::test {
namespace {

constexpr std::size_t length_field = 4;
constexpr std::size_t header = 1 + length_field;

std::string with_length(const std::string& body) {
    return MessageWriter().be32(static_cast<std::uint32_t>(body.size() + length_field)).body() +
           body;
}

}  // namespace

MessageWriter& MessageWriter::u8(std::uint8_t value) {
    body_.push_back(static_cast<char>(value));
    return *this;
}

MessageWriter& MessageWriter::be16(std::uint16_t value) {
    return u8(static_cast<std::uint8_t>(value >> 8)).u8(static_cast<std::uint8_t>(value));
}

MessageWriter& MessageWriter::be32(std::uint32_t value) {
    return be16(static_cast<std::uint16_t>(value >> 16)).be16(static_cast<std::uint16_t>(value));
}

MessageWriter& MessageWriter::text(std::string_view value) {
    body_.append(value);
    return *this;
}

MessageWriter& MessageWriter::c_string(std::string_view value) {
    return text(value).u8(0);
}

std::string MessageWriter::framed(char type) const {
    return type + with_length(body_);
}
std::string MessageWriter::framed() const {
    return with_length(body_);
}

std::string startup_packet(const Parameters& parameters, std::uint32_t version) {
    MessageWriter writer;
    writer.be32(version);
    for (const auto& [name, value] : parameters) {
        writer.c_string(name).c_string(value);
    }
    return writer.u8(0).framed();
}

std::string query_message(std::string_view sql) {
    return MessageWriter().c_string(sql).framed('Q');
}

bool PostgresWire::fill() {
    std::array<std::uint8_t, 65'536> chunk{};
    const std::size_t n = stream_.receive(chunk);
    unread_.append(as_text(Bytes(chunk).first(n)));
    return n > 0;
}

std::optional<Frame> PostgresWire::read() {
    std::size_t size = header;
    for (;;) {
        if (unread_.size() >= header) {
            ByteReader reader(as_bytes(std::string_view(unread_).substr(1)));
            size = 1 + reader.be32();
            if (size < header) throw std::runtime_error("a message of impossible length");
        }
        if (unread_.size() >= header && unread_.size() >= size) break;
        if (!fill()) {
            if (unread_.empty()) return std::nullopt;
            throw std::runtime_error("the connection ended inside a message");
        }
    }
    Frame frame{unread_[0], unread_.substr(header, size - header)};
    unread_.erase(0, size);
    return frame;
}

std::optional<char> PostgresWire::read_byte() {
    if (unread_.empty() && !fill()) return std::nullopt;
    const char byte = unread_[0];
    unread_.erase(0, 1);
    return byte;
}

std::vector<Frame> PostgresWire::read_until(char type) {
    std::vector<Frame> frames;
    while (frames.empty() || frames.back().type != type) {
        std::optional<Frame> frame = read();
        if (!frame) break;
        frames.push_back(std::move(*frame));
    }
    return frames;
}

void PostgresWire::note_key(const Frame& frame) {
    if (frame.type == 'K') key_ = frame.body;
}

void PostgresWire::start_tls() {
    send(MessageWriter().be32(ssl_request).framed());
    if (read_byte() != 'S') throw std::runtime_error("TLS refused");
    stream_.start_tls();
}

void PostgresWire::start(const Parameters& parameters) {
    send(startup_packet(parameters));
    const std::vector<Frame> frames = read_until('Z');
    if (frames.empty() || frames.back().type != 'Z') {
        const ServerError error = error_in(frames);
        throw std::runtime_error("start-up refused: " + error.sqlstate + " " + error.text);
    }
    for (const Frame& frame : frames) {
        note_key(frame);
    }
}

std::vector<Frame> PostgresWire::query(std::string_view sql) {
    send(query_message(sql));
    return read_until('Z');
}

std::string error_field(std::string_view body, char letter) {
    ByteReader reader(as_bytes(body));
    for (char field = static_cast<char>(reader.u8()); field != 0 && reader.ok();
         field = static_cast<char>(reader.u8())) {
        const std::string_view value = reader.c_string();
        if (field == letter) return std::string(value);
    }
    return {};
}

ServerError error_in(const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) {
        if (frame.type == 'E') return {error_field(frame.body, 'C'), error_field(frame.body, 'M')};
    }
    return {};
}

}  // namespace isotap::test
