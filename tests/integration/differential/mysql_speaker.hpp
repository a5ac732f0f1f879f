#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tests/integration/differential/heard.hpp"
#include "tests/integration/differential/mysql_row.hpp"
#include "tests/support/mysql_wire.hpp"

namespace isotap::test {

/// How a statement is sent. `cursor` and `twice` prepare it; `again` executes one that is prepared
/// already, whatever the statement at hand is.
enum class MysqlWay : std::uint8_t { text, prepared, twice, cursor, again };

/// A client of one server, down to its packets. Not thread-safe.
class MysqlSpeaker {
  public:
    /// `capabilities` beside those that every client has. Throws std::runtime_error where the
    /// server refuses.
    MysqlSpeaker(std::uint16_t port, const MysqlLogin& login);

    /// `values` stand for the question marks of the text.
    Heard say(std::string_view text, const std::vector<std::string>& values, MysqlWay way);

    /// Whether it is heard from now on what columns are in the table that they come from.
    void tell_source(bool tell) noexcept { from_the_source_ = tell; }

    /// Whether it is heard from now on that a prepared statement has other columns than before.
    void tell_of_new_columns(bool tell) noexcept { tells_of_new_columns_ = tell; }

    /// What `again` will execute; empty where nothing is prepared.
    [[nodiscard]] std::string_view next_again() const {
        return prepared_.empty() ? std::string_view() : prepared_.front().text;
    }

    /// Another command, and its reply as it comes.
    Heard command(std::uint8_t code, std::string_view rest);

    /// The status flags of the last answer that had any.
    [[nodiscard]] std::uint16_t status() const noexcept { return status_; }
    [[nodiscard]] std::uint16_t warnings() const noexcept { return warnings_; }
    [[nodiscard]] bool ended() const noexcept { return wire_.ended(); }

  private:
    struct Prepared {
        std::uint32_t id = 0;
        std::string text;
        std::vector<std::string> values;
    };

    [[nodiscard]] bool prepare(std::string_view text, const std::vector<std::string>& values);
    void execute(const Prepared& statement, bool with_cursor);
    void send_file();
    void close(std::size_t number);
    void hear_results(const std::vector<MysqlPacket>& reply);
    std::size_t hear_result(const std::vector<MysqlPacket>& reply, std::size_t at);
    void hear_column(MysqlPacket packet);
    void hear_row(const MysqlPacket& packet);
    void hear(const char* what, const MysqlPacket& packet);
    void hear_end(MysqlPacket packet);

    MysqlWire wire_;
    bool ends_with_eof_;
    Heard heard_;
    std::deque<Prepared> prepared_;
    bool from_the_source_ = true;
    bool tells_of_new_columns_ = true;
    bool binary_ = false;              ///< the rows that come
    std::vector<ColumnKind> columns_;  ///< theirs
    std::uint16_t status_ = 0;
    std::uint16_t warnings_ = 0;
};

}  // namespace isotap::test
