#include "analysis/report/clock_text.hpp"

#include <cstdint>
#include <ctime>

#include <fmt/format.h>

namespace isotap::analysis {

std::string clock_text(Time at) {
    constexpr std::int64_t second = 1'000'000'000;
    const std::int64_t nanoseconds = at.time_since_epoch().count();
    const std::int64_t rest = (nanoseconds % second + second) % second;
    const std::time_t seconds = (nanoseconds - rest) / second;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       rest / 1000);
}

}  // namespace isotap::analysis
