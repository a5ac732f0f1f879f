#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isotap/base/clock.hpp"
#include "isotap/history/ids.hpp"
#include "isotap/proxy/options.hpp"

namespace isotap::proxy {

/// What one line of the log says. The views live as long as the caller's.
struct LogLine {
    Time at{};
    LogLevel level = LogLevel::info;
    std::optional<history::SessionId> session;
    std::string_view what;
    std::string_view detail;
};

std::string_view to_string(LogLevel level) noexcept;

/// `2026-01-31T09:30:00.123Z warning session=7 desynchronised: …`, without a newline.
std::string as_text(const LogLine& line);

/// One JSON object with the members time, level, session, event and detail, without a newline.
std::string as_json(const LogLine& line);

}  // namespace isotap::proxy
