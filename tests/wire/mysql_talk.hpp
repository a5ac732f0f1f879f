#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/mysql_server.hpp"
#include "tests/support/mysql_wire.hpp"

namespace isotap::test {

/// One client in a conversation: does what it is told and writes down every packet that comes back,
/// byte for byte, with only that masked which no two connections share.
class MysqlTalk {
  public:
    /// What the server says of the indexes that a statement used is its own affair where isotap has
    /// added columns (docs/TRANSPARENCY.md): then it is masked as well.
    enum class IndexFlags : bool { shown, masked };

    MysqlTalk(const Endpoint& peer, MysqlServer& server, IndexFlags index_flags = IndexFlags::shown)
        : wire_(peer), server_(server), index_flags_(index_flags) {}

    void log_in(const MysqlLogin& login = {});
    void query(std::string_view sql);
    void command(std::uint8_t code, std::string_view rest = {});

    /// Sends bytes as they are; the reply is read by the calls below.
    void send(std::string_view bytes) { wire_.send(bytes); }
    void reply_to(std::uint8_t code);
    void one_packet();

    /// Reads up to the end of the connection.
    void to_the_end();

    /// The number of the statement that was prepared last, as bytes.
    [[nodiscard]] const std::string& prepared() const noexcept { return prepared_; }

    [[nodiscard]] MysqlServer& server() noexcept { return server_; }
    [[nodiscard]] MysqlWire& wire() noexcept { return wire_; }
    [[nodiscard]] const std::vector<std::string>& transcript() const noexcept { return lines_; }

  private:
    void write_down(MysqlPacket packet);
    void take_prepared(MysqlPacket& head);

    MysqlWire wire_;
    MysqlServer& server_;
    IndexFlags index_flags_;
    std::string prepared_;
    std::vector<std::pair<std::string, std::string>> statements_;  ///< as errors name them
    std::vector<std::string> lines_;
};

/// Something that a client and a server can talk about.
struct MysqlConversation {
    std::string name;
    std::string shows;  ///< ids of docs/TRANSPARENCY.md
    std::function<void(MysqlTalk&)> hold;
    std::string servers = "mariadb mysql";
    bool blind = false;          ///< holds something that makes the session blind, by intention
    bool slow = false;           ///< takes a second or many megabytes: not on every route
    bool shows_columns = false;  ///< also those that nobody selects: not where isotap adds some
};

inline void PrintTo(const MysqlConversation& conversation, std::ostream* out) {
    *out << conversation.name;
}

const std::vector<MysqlConversation>& mysql_conversations();

}  // namespace isotap::test
