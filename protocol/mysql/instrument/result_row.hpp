#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/field_type.hpp"

namespace isotap::mysql::instrument {

/// What a result says about one of its columns, as far as its rows need it.
struct Column {
    FieldType type{};
    bool is_unsigned = false;
};

/// Reads a column definition, which may have MariaDB's extended metadata in it.
std::optional<Column> read_column(Bytes definition, bool extended_metadata) noexcept;

/// The value of an added column, as text. A view of the row or of the cutter.
struct Value {
    std::string_view text;
    bool null = false;
};

/// Takes the last columns out of rows. Keeps its memory from row to row.
class RowCutter {
  public:
    /// What is left of a row of the text protocol: its beginning. Nothing for bytes that are no
    /// such row.
    std::optional<Bytes> cut_text(Bytes row, std::size_t columns, std::size_t added);

    /// What is left of a row of the binary protocol, whose NULL bitmap shrinks as well.
    std::optional<Bytes> cut_binary(Bytes row, std::span<const Column> columns, std::size_t added);

    /// The values of the added columns. Valid until the next row.
    [[nodiscard]] std::span<const Value> values() const noexcept { return values_; }

  private:
    std::vector<Value> values_;
    std::vector<std::string> numbers_;  ///< the text of values that came as numbers
    std::vector<std::uint8_t> shrunk_;
};

}  // namespace isotap::mysql::instrument
