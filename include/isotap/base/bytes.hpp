#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace isotap {

/// A view of bytes that somebody else owns. Whoever hands one out says how long it lives.
using Bytes = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

inline Bytes as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view as_text(Bytes bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace isotap
