#include "tests/integration/differential/mysql_comparable.hpp"

#include <algorithm>
#include <vector>

#include "tests/integration/differential/mysql_row.hpp"
#include "tests/support/mysql_wire.hpp"

namespace isotap::test {
namespace {

constexpr char eof = '\xfe';
constexpr unsigned session_state_changed = 0x4000;

/// No index used, no good one, slow: what is added to a statement may change them.
constexpr unsigned of_the_plan = 0x10 | 0x20 | 0x800;

/// A prepared statement has other columns than when it was prepared.
constexpr unsigned metadata_changed = 0x400;

/// Never NULL, part of a key of any kind, counted up, set by the server, binary: flags of columns
/// that those of a temporary table do not have. The last one only they have, where they are
/// grouped.
constexpr unsigned of_the_source =
    0x1 | 0x2 | 0x4 | 0x8 | 0x80 | 0x200 | 0x400 | 0x1000 | 0x2000 | 0x4000 | 0x8000;

/// Of a text or bytes without a bound; how long one may be is another thing in a temporary table.
constexpr unsigned long_flag = 0x10;

bool is_long(char type) noexcept {
    constexpr std::uint8_t first = 0xf9;
    constexpr std::uint8_t last = 0xfc;
    const auto byte = static_cast<std::uint8_t>(type);
    return byte >= first && byte <= last;
}

/// An entry of the session's state: what the transaction is in.
constexpr char transaction_state = 5;

/// What the server says of the session's state comes in the order of a hash: entries of one byte
/// and a text of less than 251 bytes. MySQL 9 adds behind DDL in a transaction that there is none,
/// and then that there is one, which nobody has asked for; it may be a command of isotap that hears
/// of it.
std::string in_order(std::string_view state) {
    std::vector<std::string_view> entries;
    while (state.size() > 1) {
        const std::size_t size = 2 + static_cast<std::uint8_t>(state[1]);
        const std::string_view entry = state.substr(0, size);
        if (entry.front() != transaction_state) {
            entries.push_back(entry);
        }
        state.remove_prefix(entry.size());
    }
    std::sort(entries.begin(), entries.end());
    std::string ordered;
    for (const std::string_view entry : entries) {
        ordered += entry;
    }
    return ordered;
}

/// A text of the protocol, with its length.
std::size_t text_size(std::string_view bytes, std::size_t at) {
    const std::size_t width = width_of(bytes.at(at));
    return width + (width == 1 ? static_cast<std::uint8_t>(bytes[at])
                               : number_at(bytes, at + 1, width - 1));
}

}  // namespace

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
    std::uint64_t number = 0;
    for (std::size_t i = width; i-- > 0;) {
        number = number << 8 | static_cast<std::uint8_t>(bytes.at(at + i));
    }
    return number;
}

std::size_t width_of(char first) {
    switch (static_cast<std::uint8_t>(first)) {
        case 0xfc: return 3;
        case 0xfd: return 4;
        case 0xfe: return 9;
        default: return 1;
    }
}

std::string readable(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (byte >= 0x20 && byte != '\\' && byte < 0x7f) {
            text += c;
        } else {
            text += {'\\', digits[byte >> 4], digits[byte & 15]};
        }
    }
    return text;
}

CompletionPlaces places_of(std::string_view completion) {
    constexpr std::size_t eof_size = 5;
    if (completion.front() == eof && completion.size() == eof_size) {
        return {.status = 3, .warnings = 1};
    }
    std::size_t at = 1 + width_of(completion.at(1));
    at += width_of(completion.at(at));
    return {.status = at, .warnings = at + 2};
}

std::string comparable_completion(const std::string& payload, bool new_columns) {
    const std::size_t at = places_of(payload).status;
    auto status = static_cast<unsigned>(number_at(payload, at, 2));
    std::string told = payload.substr(std::min(at + 4, payload.size()));
    if ((status & session_state_changed) != 0 && !told.empty()) {
        const std::size_t state_at = text_size(told, 0);
        const std::string state =
            in_order(std::string_view(told).substr(std::min(state_at + 1, told.size())));
        told.resize(state_at);
        if (!state.empty()) {
            told += mysql_number(state.size(), 1) + state;
        } else {
            status &= ~session_state_changed;
            told.resize(state_at == 1 ? 0 : state_at);
        }
    }
    status &= ~(new_columns ? of_the_plan : of_the_plan | metadata_changed);
    return payload.substr(0, at) + mysql_number(status, 2) + payload.substr(at + 2, 2) + told;
}

/// A byte, the number, '#' and five of SQLSTATE, the text, which begins with "Table '".
std::string comparable_error(const std::string& payload) {
    constexpr std::size_t table_at = 16;
    const std::size_t behind = payload.find("' was not locked with LOCK TABLES");
    if (behind == payload.npos || behind < table_at) {
        return payload;
    }
    return payload.substr(0, table_at) + "one" + payload.substr(behind);
}

/// Six names (catalogue, schema, table, its own table, name, its own name), and in the end length
/// and type, flags, the number of decimals and two bytes of nothing.
std::string without_source(std::string definition) {
    constexpr char widest = 0x08;
    constexpr std::size_t flags_from_the_end = 5;
    const std::size_t flags_at = definition.size() - flags_from_the_end;
    auto flags = static_cast<unsigned>(number_at(definition, flags_at, 2)) & ~of_the_source;
    if (may_be_wider(kind_of_column(definition))) {
        definition[flags_at - 1] = widest;
    }
    constexpr char varying = '\xfd';
    constexpr std::uint64_t longest_varying = 0xffff;
    const bool without_bound = definition.at(flags_at - 1) == varying &&
                               number_at(definition, flags_at - 5, 4) == longest_varying;
    if (is_long(definition.at(flags_at - 1)) || without_bound) {
        definition.replace(flags_at - 5, 5, "long.");
        flags &= ~long_flag;
    }
    constexpr char fixed = '\xfe';
    constexpr unsigned enum_or_set = 0x100 | 0x800;
    if (definition.at(flags_at - 1) == fixed && (flags & enum_or_set) == 0) {
        definition[flags_at - 1] = varying;
    }
    definition.replace(flags_at, 3, mysql_number(flags, 3));
    std::size_t at = 0;
    for (int name = 0; name < 6; ++name) {
        const std::size_t size = text_size(definition, at);
        if (name == 1 || name == 3 || name == 5) {
            definition.erase(at, size);
        } else {
            at += size;
        }
    }
    return definition;
}

}  // namespace isotap::test
