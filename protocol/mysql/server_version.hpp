#pragma once

#include <cstdint>
#include <string_view>

namespace isotap::mysql {

/// Which server it is, as the version string of its greeting tells.
struct ServerVersion {
    bool mariadb = false;
    std::uint32_t number = 0;  ///< 101119 is 10.11.19, 80036 is 8.0.36; 0 when unreadable
};

ServerVersion read_server_version(std::string_view text) noexcept;

/// True for collations of character sets whose characters may end in a byte that looks like ASCII:
/// big5, sjis, cp932, gbk, gb18030.
bool trail_bytes_look_ascii(std::uint8_t collation) noexcept;

}  // namespace isotap::mysql
