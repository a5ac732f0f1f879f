#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/mysql/capabilities.hpp"

namespace isotap::mysql {

/// Sets or clears the TLS bit in the low 16 capability bits that stand at `offset`.
inline void set_tls_bit(std::vector<std::uint8_t>& bytes, std::size_t offset, bool on) noexcept {
    constexpr std::uint8_t bit = static_cast<std::uint64_t>(Capability::ssl) >> 8;
    std::uint8_t& high = bytes[offset + 1];
    high = static_cast<std::uint8_t>(on ? high | bit : high & ~bit);
}

}  // namespace isotap::mysql
