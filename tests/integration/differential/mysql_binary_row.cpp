#include "tests/integration/differential/mysql_binary_row.hpp"

#include "tests/integration/differential/mysql_comparable.hpp"

namespace isotap::test {
namespace {

constexpr std::size_t widest = 8;

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

std::string widened(std::string_view row, const std::vector<ColumnKind>& columns) {
    std::size_t at = 1 + (columns.size() + 2 + 7) / 8;
    std::string made(row.substr(0, at));
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_null(row, i)) {
            continue;
        }
        std::size_t width = width_of_type(columns[i].type);
        if (width == 0) {
            const std::size_t head = width_of(row.at(at));
            width = head + (head == 1 ? static_cast<std::uint8_t>(row[at])
                                      : number_at(row, at + 1, head - 1));
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
