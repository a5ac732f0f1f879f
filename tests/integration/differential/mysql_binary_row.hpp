#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Rows of the binary protocol, whose values are as wide as the types of their columns say.
namespace isotap::test {

struct ColumnKind {
    std::uint8_t type = 0;
    bool is_unsigned = false;
    bool computed = false;  ///< out of no table
};

/// Of a column's definition.
ColumnKind kind_of_column(std::string_view definition);

/// Whether the server may as well have chosen a wider number for it, in a temporary table.
bool may_be_wider(const ColumnKind& column) noexcept;

/// The row with all whole numbers that were computed as wide as they can be.
std::string widened(std::string_view row, const std::vector<ColumnKind>& columns);

}  // namespace isotap::test
