#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/stream.hpp"

namespace isotap::test {

/// Bytes of PostgreSQL messages, written out one field after the other.
class MessageWriter {
  public:
    MessageWriter& u8(std::uint8_t value);
    MessageWriter& be16(std::uint16_t value);
    MessageWriter& be32(std::uint32_t value);
    MessageWriter& text(std::string_view value);      ///< as it is
    MessageWriter& c_string(std::string_view value);  ///< and a NUL

    /// The body behind its type byte and length.
    [[nodiscard]] std::string framed(char type) const;
    /// The body behind its length alone: the packets before authentication.
    [[nodiscard]] std::string framed() const;
    [[nodiscard]] const std::string& body() const noexcept { return body_; }

  private:
    std::string body_;
};

constexpr std::uint32_t protocol_3_0 = 3U << 16;
constexpr std::uint32_t ssl_request = 80877103;
constexpr std::uint32_t gss_request = 80877104;
constexpr std::uint32_t cancel_request = 80877102;

using Parameters = std::vector<std::pair<std::string, std::string>>;

std::string startup_packet(const Parameters& parameters, std::uint32_t version = protocol_3_0);
std::string query_message(std::string_view sql);

/// One message of the server.
struct Frame {
    char type = 0;
    std::string body;
};

/// A raw client: it sends any bytes and cuts what comes into messages. One thread.
class PostgresWire {
  public:
    explicit PostgresWire(const Endpoint& peer) : stream_(peer) {}

    [[nodiscard]] Stream& stream() noexcept { return stream_; }

    void send(std::string_view bytes) { stream_.send(bytes); }

    /// The next message; empty when the connection has ended. A message cut off by the end throws.
    std::optional<Frame> read();

    /// One byte outside any message: the answer to SSLRequest and GSSENCRequest. Empty at the end.
    std::optional<char> read_byte();

    /// Messages up to and with the first of that type, or up to the end.
    std::vector<Frame> read_until(char type);

    /// Asks for TLS, then does its handshake. Throws when the peer refuses.
    void start_tls();

    /// Sends the start-up packet of that user and database and reads up to ReadyForQuery; keeps the
    /// key that the server gave. Throws when the server refuses.
    void start(const Parameters& parameters = {{"user", "postgres"}, {"database", "postgres"}});

    /// A simple query and all its answers, the last one ReadyForQuery unless the connection ended.
    std::vector<Frame> query(std::string_view sql);

    /// The body of BackendKeyData: process number (4 bytes) and secret. Empty before start().
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    void note_key(const Frame& frame);

  private:
    bool fill();

    Stream stream_;
    std::string unread_;
    std::string key_;
};

/// SQLSTATE and text of the first ErrorResponse among messages; empty strings without one.
struct ServerError {
    std::string sqlstate;
    std::string text;
};
ServerError error_in(const std::vector<Frame>& frames);

/// One field of an ErrorResponse or NoticeResponse body, by its letter.
std::string error_field(std::string_view body, char letter);

}  // namespace isotap::test
