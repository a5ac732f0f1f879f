#include "protocol/mysql/instrument/told_write.hpp"

#include <charconv>

namespace isotap::mysql::instrument {
namespace {

bool stands_for_itself(char letter) noexcept {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.' || letter == '$';
}

bool is_kind(char letter) noexcept {
    switch (static_cast<ToldKind>(letter)) {
        case ToldKind::inserted:
        case ToldKind::updated:
        case ToldKind::kept:
        case ToldKind::removed:
        case ToldKind::omitted: return true;
    }
    return false;
}

}  // namespace

std::string stamp_of(const history::StatementRef& statement) {
    return "T" + std::to_string(static_cast<std::uint64_t>(statement.transaction)) + "." +
           std::to_string(statement.ordinal);
}

bool take_told_row(std::string_view& text, ToldRow& told) noexcept {
    const std::size_t end = text.find(';');
    if (end == std::string_view::npos || !is_kind(text.front())) {
        return false;
    }
    told = {static_cast<ToldKind>(text.front()), {}, {}, {}};
    std::string_view entry = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (told.kind == ToldKind::omitted) {
        return entry.empty();
    }
    const std::size_t blank = entry.find(' ');
    const std::size_t equals = entry.find('=');
    if (blank == std::string_view::npos || equals == std::string_view::npos || equals < blank) {
        return false;
    }
    told.table = entry.substr(0, blank);
    told.row = entry.substr(blank + 1, equals - blank - 1);
    told.writers = entry.substr(equals + 1);
    return true;
}

std::string told_name(std::string_view identity) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string name;
    for (const char letter : identity) {
        if (stands_for_itself(letter)) {
            name += letter;
        } else {
            const auto byte = static_cast<unsigned char>(letter);
            name += {'%', digits[byte >> 4U], digits[byte & 15U]};
        }
    }
    return name;
}

std::string identity_of(std::string_view told_name) {
    std::string identity;
    for (std::size_t i = 0; i < told_name.size(); ++i) {
        unsigned byte = 0;
        const char* const code = told_name.data() + i + 1;
        const bool coded = told_name[i] == '%' && i + 2 < told_name.size() &&
                           std::from_chars(code, code + 2, byte, 16).ptr == code + 2;
        identity += coded ? static_cast<char>(byte) : told_name[i];
        i += coded ? 2 : 0;
    }
    return identity;
}

}  // namespace isotap::mysql::instrument
