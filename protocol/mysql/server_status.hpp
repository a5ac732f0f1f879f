#pragma once

#include <cstdint>

namespace isotap::mysql {

/// Flags that the server puts into every OK and EOF: the truth about the transaction.
enum class StatusFlag : std::uint16_t {
    in_transaction = 0x0001,
    autocommit = 0x0002,
    more_results = 0x0008,
    cursor_exists = 0x0040,
    last_row_sent = 0x0080,
    no_backslash_escapes = 0x0200,
    out_parameters = 0x1000,
    in_read_only_transaction = 0x2000,
    session_state_changed = 0x4000,
    ansi_quotes = 0x8000,  ///< MariaDB only
};

/// A set of them. A small value: copy it.
class ServerStatus {
  public:
    constexpr ServerStatus() noexcept = default;
    constexpr explicit ServerStatus(std::uint16_t bits) noexcept : bits_(bits) {}

    [[nodiscard]] constexpr bool has(StatusFlag flag) const noexcept {
        return (bits_ & static_cast<std::uint16_t>(flag)) != 0;
    }

  private:
    std::uint16_t bits_ = 0;
};

}  // namespace isotap::mysql
