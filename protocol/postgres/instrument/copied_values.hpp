#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/postgres/instrument/added_columns.hpp"

namespace isotap::postgres::instrument {

/// What came of a stream of rows so far, as far as its reader had to look.
enum class CopyStep : std::uint8_t {
    row,      ///< a row is through: its values are there until the next step
    drained,  ///< all bytes have been looked at
    strange,  ///< these are not the rows that were planned; the reader must not be used any more
};

/// The added columns of a row that is copied, put together from the pieces that they come in. One
/// that is too long is left out.
class CopiedValues {
  public:
    static constexpr std::size_t bytes_max = std::size_t{1024} * 1024;

    void clear() noexcept {
        bytes_.clear();
        fields_.clear();
        too_long_ = false;
    }
    void append(Bytes bytes) {
        too_long_ = too_long_ || bytes_.size() + bytes.size() > bytes_max;
        if (!too_long_) {
            bytes_.append(as_text(bytes));
        }
    }
    [[nodiscard]] bool too_long() const noexcept { return too_long_; }

    /// As they came.
    [[nodiscard]] std::string& bytes() noexcept { return bytes_; }
    [[nodiscard]] std::vector<Field>& fields() noexcept { return fields_; }

  private:
    std::string bytes_;
    std::vector<Field> fields_;
    bool too_long_ = false;
};

}  // namespace isotap::postgres::instrument
