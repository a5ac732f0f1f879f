#include "protocol/mysql/messages/load_counts.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace isotap::mysql {

std::optional<LoadCounts> read_load_counts(std::string_view info) noexcept {
    constexpr std::string_view digits = "0123456789";
    std::array<std::uint64_t, 4> numbers{};
    std::size_t found = 0;
    while (true) {
        info.remove_prefix(std::min(info.find_first_of(digits), info.size()));
        if (info.empty()) {
            break;
        }
        if (found == numbers.size()) {
            return std::nullopt;
        }
        const auto [end, error] =
            std::from_chars(info.data(), info.data() + info.size(), numbers[found++]);
        if (error != std::errc{}) {
            return std::nullopt;
        }
        info.remove_prefix(static_cast<std::size_t>(end - info.data()));
    }
    if (found != numbers.size()) {
        return std::nullopt;
    }
    return LoadCounts{numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace isotap::mysql
