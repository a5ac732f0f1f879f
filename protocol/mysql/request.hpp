#pragma once

#include <cstdint>

#include "protocol/mysql/command.hpp"

namespace isotap::mysql {

/// The id by which MariaDB clients name the statement that they prepared last.
inline constexpr std::uint32_t last_prepared = 0xffffffff;

/// A command whose reply the server owes.
struct Request {
    Command command = Command::sleep;
    std::uint8_t next_sequence = 1;  ///< that the first packet of the reply will bear
    std::uint32_t statement = 0;     ///< of COM_STMT_EXECUTE and its kin
    std::uint16_t option = 0;        ///< of COM_SET_OPTION
};

}  // namespace isotap::mysql
