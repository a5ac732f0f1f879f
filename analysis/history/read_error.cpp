#include "analysis/history/read_error.hpp"

#include <stdexcept>

namespace isotap::history {

namespace {

std::string_view name(ReadErrorKind kind) {
    switch (kind) {
        case ReadErrorKind::unreadable: return "cannot be read";
        case ReadErrorKind::unknown_format: return "unknown format";
        case ReadErrorKind::malformed: return "malformed input";
        case ReadErrorKind::truncated: return "truncated input";
        case ReadErrorKind::duplicate_writer:
            return "duplicate writer (malformed input, no anomaly)";
        case ReadErrorKind::contradiction: return "contradictory input";
        case ReadErrorKind::too_large: return "too large";
    }
    return "malformed input";
}

}  // namespace

std::string ReadError::message() const {
    std::string text = file;
    if (line > 0) {
        text += ":" + std::to_string(line);
    } else if (byte > 0) {
        text += ": byte " + std::to_string(byte);
    }
    text += ": ";
    text += name(kind);
    text += ": ";
    return text + what;
}

void throw_exception_from_error(const ReadError& error, const boost::source_location&) {
    throw std::logic_error("an unchecked read error: " + error.message());
}

}  // namespace isotap::history
