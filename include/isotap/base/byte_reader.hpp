#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "isotap/base/bytes.hpp"

namespace isotap {

/// A cursor over bytes that came from the network and may be anything.
///
/// Reading past the end never touches memory: it returns zeros or empty views and makes `ok()`
/// false for good. A decoder reads all its fields in wire order and asks `ok()` once, at the end.
/// Views that it returns live as long as the bytes under it. Not thread-safe; copy it freely.
class ByteReader {
  public:
    explicit ByteReader(Bytes bytes) noexcept : rest_(bytes) {}

    [[nodiscard]] bool ok() const noexcept { return ok_; }
    [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }
    [[nodiscard]] Bytes rest() const noexcept { return rest_; }

    std::uint8_t u8() noexcept { return big_endian<std::uint8_t>(); }
    std::uint16_t be16() noexcept { return big_endian<std::uint16_t>(); }
    std::uint32_t be32() noexcept { return big_endian<std::uint32_t>(); }
    std::uint64_t be64() noexcept { return big_endian<std::uint64_t>(); }
    std::uint16_t le16() noexcept { return little_endian<std::uint16_t>(2); }
    std::uint32_t le24() noexcept { return little_endian<std::uint32_t>(3); }
    std::uint32_t le32() noexcept { return little_endian<std::uint32_t>(4); }
    std::uint64_t le64() noexcept { return little_endian<std::uint64_t>(8); }

    Bytes take(std::size_t count) noexcept {
        if (count > rest_.size()) {
            return fail();
        }
        const Bytes taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }

    std::string_view text(std::size_t count) noexcept { return as_text(take(count)); }

    /// Text up to a NUL, which is consumed and not returned.
    std::string_view c_string() noexcept {
        const auto nul = std::find(rest_.begin(), rest_.end(), std::uint8_t{0});
        if (nul == rest_.end()) {
            fail();
            return {};
        }
        const std::string_view found = text(static_cast<std::size_t>(nul - rest_.begin()));
        take(1);
        return found;
    }

  private:
    template <std::unsigned_integral T>
    T big_endian() noexcept {
        T value = 0;
        for (const std::uint8_t byte : take(sizeof(T))) {
            value = static_cast<T>(static_cast<std::uint64_t>(value) << 8 | byte);
        }
        return value;
    }

    template <std::unsigned_integral T>
    T little_endian(std::size_t width) noexcept {
        T value = 0;
        unsigned shift = 0;
        for (const std::uint8_t byte : take(width)) {
            value = static_cast<T>(value | static_cast<T>(byte) << shift);
            shift += 8;
        }
        return value;
    }

    Bytes fail() noexcept {
        ok_ = false;
        rest_ = {};
        return {};
    }

    Bytes rest_;
    bool ok_ = true;
};

}  // namespace isotap
