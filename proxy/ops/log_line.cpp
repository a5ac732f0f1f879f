#include "proxy/ops/log_line.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace isotap::proxy {
namespace {

constexpr std::size_t detail_max = 512;

bool prints(char c) noexcept {
    return c >= ' ' && c <= '~';
}

/// Only printable ASCII: the rest could end a line, colour a terminal or break a parser.
std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, detail_max)) {
        if (prints(c)) {
            out.push_back(c);
        } else {
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    if (text.size() > detail_max) {
        out += fmt::format("... ({} bytes)", text.size());
    }
    return out;
}

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (const char c : printable(text)) {
        if (c == '"' || c == '\\') {
            out.push_back('\\');
        }
        out.push_back(c);
    }
    out.push_back('"');
    return out;
}

/// ISO 8601 in UTC, to the millisecond.
std::string time_text(Time at) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(at - seconds);
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), rest.count());
}

}  // namespace

std::string_view to_string(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warning: return "warning";
        case LogLevel::error: return "error";
    }
    return "error";
}

std::string as_text(const LogLine& line) {
    std::string out = fmt::format("{} {}", time_text(line.at), to_string(line.level));
    if (line.session) {
        out += fmt::format(" session={}", static_cast<std::uint64_t>(*line.session));
    }
    out += " " + printable(line.what);
    if (!line.detail.empty()) {
        out += ": " + printable(line.detail);
    }
    return out;
}

std::string as_json(const LogLine& line) {
    std::string out =
        fmt::format(R"({{"time":"{}","level":"{}")", time_text(line.at), to_string(line.level));
    if (line.session) {
        out += fmt::format(R"(,"session":{})", static_cast<std::uint64_t>(*line.session));
    }
    out += R"(,"event":)" + json_text(line.what);
    if (!line.detail.empty()) {
        out += R"(,"detail":)" + json_text(line.detail);
    }
    return out + "}";
}

}  // namespace isotap::proxy
