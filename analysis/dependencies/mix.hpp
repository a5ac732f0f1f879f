#pragma once

#include <cstdint>

namespace isotap::analysis {

/// Spreads the bits of two words over one; for hash tables that ids, which count up, must not clog.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
    std::uint64_t x =
        (a * 0x9E3779B97F4A7C15ULL) ^ ((b + 0x632BE59BD9B4E019ULL) * 0xC2B2AE3D27D4EB4FULL);
    x ^= x >> 32U;
    x *= 0xD6E8FEB86659FD93ULL;
    x ^= x >> 29U;
    return x;
}

}  // namespace isotap::analysis
