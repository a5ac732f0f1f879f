#pragma once

#include <cstdint>

namespace isotap::mysql {

/// What one end of a connection can do. Bits 0–31 are the ones of MySQL; bits 32–63 are the
/// extended ones of MariaDB, which travel in bytes that MySQL reserves.
enum class Capability : std::uint64_t {
    long_password = 1ULL << 0,  ///< MariaDB calls it CLIENT_MYSQL: clear means 'I speak MariaDB'
    found_rows = 1ULL << 1,
    connect_with_db = 1ULL << 3,
    compress = 1ULL << 5,
    local_files = 1ULL << 7,
    protocol_41 = 1ULL << 9,
    ssl = 1ULL << 11,
    transactions = 1ULL << 13,
    secure_connection = 1ULL << 15,
    multi_statements = 1ULL << 16,
    multi_results = 1ULL << 17,
    ps_multi_results = 1ULL << 18,
    plugin_auth = 1ULL << 19,
    connect_attributes = 1ULL << 20,
    plugin_auth_lenenc_data = 1ULL << 21,
    session_track = 1ULL << 23,
    deprecate_eof = 1ULL << 24,
    optional_resultset_metadata = 1ULL << 25,
    zstd_compression = 1ULL << 26,
    query_attributes = 1ULL << 27,
    multi_factor_authentication = 1ULL << 28,
    mariadb_progress = 1ULL << 32,
    mariadb_multi = 1ULL << 33,
    mariadb_bulk_operations = 1ULL << 34,
    mariadb_extended_metadata = 1ULL << 35,
    mariadb_cache_metadata = 1ULL << 36,
    mariadb_bulk_unit_results = 1ULL << 37,
};

/// A set of them. A small value: copy it.
class Capabilities {
  public:
    constexpr Capabilities() noexcept = default;
    constexpr explicit Capabilities(std::uint64_t bits) noexcept : bits_(bits) {}
    constexpr Capabilities(std::uint32_t mysql, std::uint32_t mariadb) noexcept
        : bits_(static_cast<std::uint64_t>(mariadb) << 32 | mysql) {}

    [[nodiscard]] constexpr bool has(Capability one) const noexcept {
        return (bits_ & static_cast<std::uint64_t>(one)) != 0;
    }
    [[nodiscard]] constexpr std::uint64_t bits() const noexcept { return bits_; }
    [[nodiscard]] constexpr std::uint32_t mysql_bits() const noexcept {
        return static_cast<std::uint32_t>(bits_);
    }

    [[nodiscard]] constexpr Capabilities with(Capability one) const noexcept {
        return Capabilities(bits_ | static_cast<std::uint64_t>(one));
    }
    [[nodiscard]] constexpr Capabilities without(Capability one) const noexcept {
        return Capabilities(bits_ & ~static_cast<std::uint64_t>(one));
    }

    /// What both ends can do is what they do.
    friend constexpr Capabilities operator&(Capabilities a, Capabilities b) noexcept {
        return Capabilities(a.bits_ & b.bits_);
    }
    friend constexpr bool operator==(Capabilities, Capabilities) noexcept = default;

  private:
    std::uint64_t bits_ = 0;
};

}  // namespace isotap::mysql
