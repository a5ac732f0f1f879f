#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Rows without what their values have from a temporary table, where the plan may choose one.
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

/// The row with decimals without zeros behind them, and with all whole numbers that were computed
/// as wide as they can be: in the binary protocol a value is as wide as the type of its column.
std::string comparable_row(std::string_view row, const std::vector<ColumnKind>& columns,
                           bool binary);

}  // namespace isotap::test
