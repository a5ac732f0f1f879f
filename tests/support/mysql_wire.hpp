#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/stream.hpp"

namespace isotap::test {

/// One packet as it came: of 16 MiB or more when its frames were joined.
struct MysqlPacket {
    std::uint8_t sequence = 0;
    std::string payload;

    [[nodiscard]] std::uint8_t head() const {
        return payload.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(payload.front());
    }
};

/// What the client asks for at login. Everything else is as the tests' server has it.
struct MysqlLogin {
    std::uint32_t capabilities = 0;  ///< on top of the ones that every login has
    std::uint32_t mariadb = 0;       ///< MariaDB's own, where the server offers them
    std::uint32_t without = 0;       ///< taken out again
    std::string user = "tap";        ///< without a password
    bool tls = false;
};

/// Capability bits by their names in the protocol document, as far as tests ask for them.
namespace client_flag {
inline constexpr std::uint32_t long_password = 1U << 0;
inline constexpr std::uint32_t compress = 1U << 5;
inline constexpr std::uint32_t local_files = 1U << 7;
inline constexpr std::uint32_t ssl = 1U << 11;
inline constexpr std::uint32_t multi_statements = 1U << 16;
inline constexpr std::uint32_t session_track = 1U << 23;
inline constexpr std::uint32_t deprecate_eof = 1U << 24;
inline constexpr std::uint32_t optional_metadata = 1U << 25;
inline constexpr std::uint32_t query_attributes = 1U << 27;
}  // namespace client_flag

/// A MySQL client whose every byte the test decides. Not a driver: it logs in with an empty
/// password and sends what it is told. One thread.
class MysqlWire {
  public:
    explicit MysqlWire(const Endpoint& peer) : stream_(peer) {}

    /// Up to the OK, or the ERR that came instead: that packet.
    MysqlPacket log_in(const MysqlLogin& login = {});

    /// One packet of the server; an empty payload with sequence 0 at the end of the connection sets
    /// `ended()`.
    MysqlPacket read();
    [[nodiscard]] bool ended() const noexcept { return ended_; }

    void send(std::string_view bytes) { stream_.send(bytes); }

    /// Sends a command and reads its whole reply, however it is made up.
    std::vector<MysqlPacket> command(std::uint8_t code, std::string_view rest = {});
    std::vector<MysqlPacket> query(std::string_view sql);

    /// Reads one reply to such a command.
    std::vector<MysqlPacket> read_reply(std::uint8_t code);

    [[nodiscard]] std::uint32_t connection_id() const noexcept { return connection_id_; }
    [[nodiscard]] const MysqlPacket& greeting() const noexcept { return greeting_; }
    [[nodiscard]] Stream& stream() noexcept { return stream_; }

  private:
    std::string take(std::size_t count);
    void read_greeting();
    [[nodiscard]] std::string response(const MysqlLogin& login, std::string_view proof) const;
    bool read_results(std::vector<MysqlPacket>& reply);
    void read_definitions(std::size_t count, bool left_out, std::vector<MysqlPacket>& reply);
    [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (in_force_ & flag) != 0; }
    [[nodiscard]] std::uint16_t status_of(const MysqlPacket& end) const;

    Stream stream_;
    std::string waiting_;
    MysqlPacket greeting_;
    std::uint32_t server_ = 0;
    std::uint32_t in_force_ = 0;
    std::uint32_t connection_id_ = 0;
    bool ended_ = false;
};

/// Packets as a client sends them: frames of at most 16 MiB, numbered from `sequence`.
std::string mysql_packet(std::uint8_t sequence, std::string_view payload);

/// A command in a packet of its own.
std::string mysql_command(std::uint8_t code, std::string_view rest = {});

/// A number in as many bytes, lowest first.
std::string mysql_number(std::uint64_t value, int width);

}  // namespace isotap::test
