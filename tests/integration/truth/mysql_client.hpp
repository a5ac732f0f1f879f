#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/mysql_wire.hpp"

namespace isotap::test {

/// What the server answered to one statement.
struct MysqlAnswer {
    std::uint16_t error = 0;  ///< 0: none
    std::string message;
    std::vector<std::vector<std::string>> rows;
};

/// A client that runs statements as texts and as prepared ones. Values are integers and texts. One
/// thread.
class MysqlClient {
  public:
    /// Throws when it is not let in.
    MysqlClient(std::uint16_t port, const std::string& user);

    MysqlAnswer query(std::string_view sql);

    /// Prepares a text the first time that it comes. Values stand where it has question marks;
    /// those of digits are sent as numbers.
    MysqlAnswer execute(const std::string& sql, const std::vector<std::string>& values);

    /// As drivers end.
    void quit();

  private:
    MysqlWire wire_;
    std::map<std::string, std::uint32_t> prepared_;
};

}  // namespace isotap::test
