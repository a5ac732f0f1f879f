#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isotap/base/bytes.hpp"

/// The arithmetic of SCRAM-SHA-256 (RFC 5802, RFC 7677): functions of their arguments alone. They
/// fail only where memory does, and then throw std::bad_alloc: nothing may be taken for a proof
/// that was never computed.
namespace isotap::postgres::scram {

/// A SHA-256 value. Most of them are keys, so all of them are wiped when they go.
class Digest {
  public:
    static constexpr std::size_t size = 32;

    Digest() = default;
    Digest(const Digest&) = default;
    Digest(Digest&&) noexcept = default;
    Digest& operator=(const Digest&) = default;
    Digest& operator=(Digest&&) noexcept = default;
    ~Digest();

    /// Empty when these are not 32 bytes.
    static std::optional<Digest> of(Bytes bytes) noexcept;

    [[nodiscard]] Bytes bytes() const noexcept { return bytes_; }
    [[nodiscard]] MutableBytes bytes() noexcept { return bytes_; }

  private:
    std::array<std::uint8_t, size> bytes_{};
};

Digest sha256(Bytes bytes);
Digest hmac(const Digest& key, std::string_view text);
Digest exclusive_or(const Digest& a, const Digest& b) noexcept;

/// The hash that costs `iterations` (at least 1). The password is taken as it is: for ASCII that is
/// what SASLprep makes of it.
Digest salted_password(std::string_view password, Bytes salt, std::uint32_t iterations);

/// Takes as long for bytes that differ early as for ones that differ late. Lengths are no secret.
bool equal(Bytes a, Bytes b) noexcept;

std::string to_base64(Bytes bytes);
/// Empty unless all of it is base64, padded, without white space.
std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

}  // namespace isotap::postgres::scram
