#include "tests/wire/postgres_transcript.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <regex>

#include "isotap/base/byte_reader.hpp"

#include "tests/wire/postgres_step_message.hpp"

namespace isotap::test {
namespace {

constexpr std::size_t shown_max = 400;
constexpr std::size_t shown_of_long = 64;

std::uint64_t checksum(std::string_view text) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a
    for (const char c : text) {
        hash = (hash ^ static_cast<std::uint8_t>(c)) * 1099511628211U;
    }
    return hash;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned>(static_cast<std::uint8_t>(c));
        if (byte >= 0x20 && byte < 0x7F && c != '\\') {
            out.push_back(c);
        } else {
            char code[8];
            std::snprintf(code, sizeof code, "\\x%02x", byte);
            out += code;
        }
    }
    return out;
}

std::string shortened(std::string_view body) {
    if (body.size() <= shown_max) return escaped(body);
    return escaped(body.substr(0, shown_of_long)) + "… " + std::to_string(body.size()) +
           " bytes, checksum " + std::to_string(checksum(body));
}

/// An error without the place in the server's source: a captured UPDATE locks its rows before it
/// writes them, so a lost race is noticed in another function.
std::string without_source(const std::string& body) {
    std::string out;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = std::min(body.find('\0', at), body.size() - 1);
        const bool place = body[at] == 'F' || body[at] == 'L' || body[at] == 'R';
        out += place ? std::string{body[at], '#', '\0'} : body.substr(at, end - at + 1);
        at = end + 1;
    }
    return out;
}

/// Numbers in messages for people that name a process, a transaction or a table of this run.
std::string masked_text(const std::string& body) {
    static const std::regex volatile_number(
        R"((process|PID|transaction|relation|OID|ID|pg_temp_|pg_toast_) ?[0-9]+)",
        std::regex::icase);
    std::string masked = std::regex_replace(body, volatile_number, "$1 #");
    // Where an administrator's command hits a session is a matter of time.
    const std::string context = error_field(body, 'W');
    if (error_field(body, 'C') == "57P01" && !context.empty()) {
        masked.replace(masked.find(context), context.size(), "#");
    }
    return error_field(body, 'C') == "40001" ? without_source(masked) : masked;
}

std::string masked_row_description(const std::string& body) {
    std::string masked = body;
    ByteReader reader(as_bytes(body));
    const unsigned fields = reader.be16();
    for (unsigned i = 0; i < fields && reader.ok(); ++i) {
        reader.c_string();
        const std::size_t at = body.size() - reader.rest().size();
        if (reader.be32() != 0) masked.replace(at, 4, "OID#");
        reader.take(14);  // column, type, size, modifier, format
    }
    return masked;
}

}  // namespace

std::string transcript_line(const Frame& frame) {
    std::string line{backend_name(frame.type)};
    if (line == "Unknown") line += " " + escaped(std::string_view(&frame.type, 1));
    const auto body = [&]() -> std::string {
        switch (frame.type) {
            case 'K': return std::to_string(frame.body.size()) + " bytes of key";
            case 'A': return "pid# " + shortened(std::string_view(frame.body).substr(4));
            case 'T': return shortened(masked_row_description(frame.body));
            case 'E':
            case 'N': return shortened(masked_text(frame.body));
            default: return shortened(frame.body);
        }
    };
    const std::string shown = body();
    return shown.empty() ? line : line + " " + shown;
}

}  // namespace isotap::test
