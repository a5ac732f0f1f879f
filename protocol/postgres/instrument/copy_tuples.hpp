#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/postgres/instrument/copied_values.hpp"

namespace isotap::postgres::instrument {

/// Rows in the binary format, cut anywhere, without their last columns. As `CopyLines`.
class CopyTuples {
  public:
    CopyTuples(std::size_t kept, std::size_t added);

    void feed(Bytes bytes) noexcept {
        input_ = bytes;
        at_ = 0;
        begin_ = 0;
    }
    CopyStep next(std::vector<Bytes>& out);

    [[nodiscard]] CopiedValues& values() noexcept { return values_; }
    [[nodiscard]] Bytes held() const noexcept {
        return stage_ == Stage::count ? Bytes(number_).first(number_size_) : Bytes{};
    }

  private:
    enum class Stage : std::uint8_t {
        signature,       ///< with the flags
        extension_size,  ///< of a part of the header that nobody has needed yet
        extension,
        count,   ///< of the columns of a row, or the end
        length,  ///< of a value
        value,
        end,
    };

    /// A value of ours.
    struct Value {
        std::size_t end = 0;
        bool null = false;
    };

    [[nodiscard]] bool step(std::vector<Bytes>& out);
    [[nodiscard]] bool read_number(std::size_t size) noexcept;
    [[nodiscard]] bool skip() noexcept;
    [[nodiscard]] bool on_count(std::vector<Bytes>& out);
    [[nodiscard]] bool on_length(std::vector<Bytes>& out);
    void end_value(std::vector<Bytes>& out);
    void begin_rows(std::vector<Bytes>& out);
    void keep(std::vector<Bytes>& out);
    [[nodiscard]] bool hides() const noexcept;
    void set_fields();

    std::size_t kept_;
    std::size_t added_;
    std::array<std::uint8_t, 2> kept_count_;  ///< as a row of the client's has it

    Bytes input_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  ///< from here on it is the client's

    static constexpr std::size_t signature_size = 15;

    Stage stage_ = Stage::signature;
    std::array<std::uint8_t, 4> number_{};
    std::size_t number_size_ = 0;
    std::size_t left_ = signature_size;  ///< of what is passed over
    std::size_t column_ = 0;
    bool row_ended_ = false;
    CopiedValues values_;
    std::vector<Value> ours_;
};

}  // namespace isotap::postgres::instrument
