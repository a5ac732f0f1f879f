#include "tests/integration/differential/mysql_row.hpp"

#include "tests/integration/differential/mysql_comparable.hpp"

namespace isotap::test {
namespace {

constexpr std::size_t widest = 8;
constexpr std::uint8_t decimal = 0xf6;
constexpr char null_value = '\xfb';

/// Of a value without a length of its own; 0: it has one.
std::size_t width_of_type(std::uint8_t type) noexcept {
    switch (type) {
        case 0x01: return 1;
        case 0x02:
        case 0x0d: return 2;
        case 0x03:
        case 0x04:
        case 0x09: return 4;
        case 0x05:
        case 0x08: return 8;
        default: return 0;
    }
}

/// With its length in front.
std::size_t size_of_text(std::string_view row, std::size_t at) {
    const char first = row.at(at);
    if (first == null_value) {
        return 1;
    }
    const std::size_t width = width_of(first);
    return width +
           (width == 1 ? static_cast<std::uint8_t>(first) : number_at(row, at + 1, width - 1));
}

/// A decimal, with a mark behind it in place of the length in front.
std::string without_zeros(std::string_view text) {
    const char length = text.front();
    text.remove_prefix(1);
    if (text.find('.') != std::string_view::npos) {
        text = text.substr(0, text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.remove_suffix(1);
    }
    return length == null_value ? std::string(1, null_value) : std::string(text) + '|';
}

bool is_null(std::string_view row, std::size_t column) {
    const std::size_t bit = column + 2;
    return (static_cast<unsigned>(row.at(1 + bit / 8)) >> (bit % 8) & 1U) != 0;
}

}  // namespace

ColumnKind kind_of_column(std::string_view definition) {
    constexpr std::size_t type_from_the_end = 6;
    constexpr unsigned unsigned_flag = 0x20;
    std::size_t at = 0;
    for (int name = 0; name < 2; ++name) {
        at += width_of(definition.at(at)) + static_cast<std::uint8_t>(definition.at(at));
    }
    const std::size_t type_at = definition.size() - type_from_the_end;
    return {.type = static_cast<std::uint8_t>(definition.at(type_at)),
            .is_unsigned = (number_at(definition, type_at + 1, 2) & unsigned_flag) != 0,
            .computed = definition.at(at) == 0};
}

bool may_be_wider(const ColumnKind& column) noexcept {
    const bool whole =
        column.type == 0x01 || column.type == 0x02 || column.type == 0x03 || column.type == 0x09;
    return whole && column.computed;
}

std::string comparable_row(std::string_view row, const std::vector<ColumnKind>& columns,
                           bool binary) {
    std::size_t at = binary ? 1 + (columns.size() + 2 + 7) / 8 : 0;
    std::string made(row.substr(0, at));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (binary && is_null(row, i)) {
            continue;
        }
        const std::size_t width = binary ? width_of_type(columns[i].type) : 0;
        if (width == 0) {
            const std::size_t size = size_of_text(row, at);
            made += columns[i].type == decimal ? without_zeros(row.substr(at, size))
                                               : std::string(row.substr(at, size));
            at += size;
            continue;
        }
        made += row.substr(at, width);
        at += width;
        if (may_be_wider(columns[i])) {
            const bool negative = !columns[i].is_unsigned && (made.back() & 0x80) != 0;
            made.append(widest - width, negative ? '\xff' : '\0');
        }
    }
    return made;
}

}  // namespace isotap::test
