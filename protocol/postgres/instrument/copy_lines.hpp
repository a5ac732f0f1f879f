#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/postgres/instrument/copied_values.hpp"
#include "protocol/postgres/instrument/copy_format.hpp"

namespace isotap::postgres::instrument {

/// Rows in the text or CSV format, cut anywhere, without their last columns. Looks at each byte
/// once and keeps none but those of these columns. Not thread-safe.
class CopyLines {
  public:
    /// Each row has `kept` columns of the client's and `added` ones of ours behind them.
    CopyLines(const CopyFormat& format, std::size_t kept, std::size_t added);

    /// Hands in the next bytes, which must stay until all of them have been looked at.
    void feed(Bytes bytes) noexcept {
        input_ = bytes;
        at_ = 0;
        begin_ = 0;
    }
    /// The next row of them; what goes to the client is appended to `out`.
    CopyStep next(std::vector<Bytes>& out);

    /// Of the last row; empty where they were too long.
    [[nodiscard]] CopiedValues& values() noexcept { return values_; }
    /// Bytes that are the client's and wait for those behind them.
    [[nodiscard]] Bytes held() const noexcept { return as_bytes(dot).first(held_); }

  private:
    enum class Meaning : std::uint8_t { inside, delimiter, end };

    /// A line of one column that is just this is in quotes in CSV: it would mean the end of data.
    static constexpr std::string_view dot = "\\.";

    [[nodiscard]] Meaning meaning(char byte) noexcept;
    void skip_plain() noexcept;
    void match_dot(char byte, std::vector<Bytes>& out);
    void end_client_part(std::vector<Bytes>& out);
    void end_row(std::vector<Bytes>& out);
    void drain(std::vector<Bytes>& out);
    [[nodiscard]] bool split();
    [[nodiscard]] bool split_text(std::size_t& from, std::size_t& to);
    [[nodiscard]] bool split_csv(std::size_t& from, std::size_t& to);
    void keep(std::size_t end, std::vector<Bytes>& out) const;

    CopyFormat format_;
    std::size_t kept_;
    std::size_t added_;
    bool csv_;
    bool minds_dot_;
    bool names_;              ///< the line at hand holds the names of columns
    std::string quoted_dot_;  ///< as the client would have got it
    std::array<bool, 256> special_{};

    Bytes input_;
    std::size_t at_ = 0;     ///< what has been looked at
    std::size_t begin_ = 0;  ///< from here on it is the client's, or ours

    std::size_t column_ = 0;
    bool escaped_ = false;  ///< the next byte is one of a value, whatever it is
    bool quoted_ = false;
    bool ended_ = false;       ///< the row before; its values are not needed any more
    bool matches_;             ///< the row may still be `dot`
    std::size_t matched_ = 0;  ///< of it
    std::size_t held_ = 0;     ///< of these, those that came with earlier bytes
    CopiedValues values_;
};

}  // namespace isotap::postgres::instrument
