#include "protocol/mysql/server_version.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace isotap::mysql {

ServerVersion read_server_version(std::string_view text) noexcept {
    ServerVersion version;
    version.mariadb = text.find("MariaDB") != std::string_view::npos;
    // Old replicas refused a major version of two digits: MariaDB 10 and 11 hide theirs behind
    // this.
    constexpr std::string_view disguise = "5.5.5-";
    if (version.mariadb && text.substr(0, disguise.size()) == disguise) {
        text.remove_prefix(disguise.size());
    }
    std::array<std::uint32_t, 3> parts{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::uint32_t& part : parts) {
        const auto [next, error] = std::from_chars(at, end, part);
        if (error != std::errc() || part > 99) {
            return version;
        }
        at = next;
        if (at != end && *at == '.') ++at;
    }
    version.number = parts[0] * 10'000 + parts[1] * 100 + parts[2];
    return version;
}

bool trail_bytes_look_ascii(std::uint8_t collation) noexcept {
    constexpr std::array<std::uint8_t, 11> affected{1, 13, 28, 84, 87, 88, 95, 96, 248, 249, 250};
    return std::find(affected.begin(), affected.end(), collation) != affected.end();
}

}  // namespace isotap::mysql
