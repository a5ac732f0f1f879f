#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/mysql/capabilities.hpp"

/// Builds packets as servers and clients of the MySQL family send them.
namespace isotap::mysql::test {

inline constexpr std::uint16_t autocommit = 0x0002;
inline constexpr std::uint16_t in_transaction = 0x0001;
inline constexpr std::uint16_t more_results = 0x0008;
inline constexpr std::uint16_t cursor_exists = 0x0040;
inline constexpr std::uint16_t session_state_changed = 0x4000;

inline constexpr Capabilities plain_capabilities = Capabilities(0, 0)
                                                       .with(Capability::long_password)
                                                       .with(Capability::protocol_41)
                                                       .with(Capability::secure_connection)
                                                       .with(Capability::plugin_auth)
                                                       .with(Capability::connect_with_db)
                                                       .with(Capability::multi_statements)
                                                       .with(Capability::multi_results)
                                                       .with(Capability::transactions);

std::string number(std::uint64_t value, int width);
std::string length_encoded(std::string_view text);

/// A packet of less than 16 MiB.
std::string packet(std::uint8_t sequence, std::string_view payload);

/// A payload of any size, cut into frames.
std::string frames(std::uint8_t sequence, std::string_view payload);

std::string greeting(Capabilities capabilities, std::string_view version = "8.0.36",
                     std::uint32_t connection_id = 42);
std::string handshake_response(Capabilities capabilities, std::uint8_t sequence = 1,
                               std::string_view user = "ann", std::string_view database = "shop",
                               std::string_view attributes = {});
std::string ssl_request(Capabilities capabilities);

std::string ok(std::uint8_t sequence, std::uint16_t status = autocommit,
               std::uint8_t affected_rows = 0, std::string_view rest = {});
std::string end_ok(std::uint8_t sequence, std::uint16_t status = autocommit);
std::string eof(std::uint8_t sequence, std::uint16_t status = autocommit);
std::string error(std::uint8_t sequence, std::uint16_t code, std::string_view state = "HY000",
                  std::string_view message = "no");
std::string column(std::uint8_t sequence, std::string_view name = "a");
std::string row(std::uint8_t sequence, std::string_view value);

/// One column and the given rows, with EOF packets, from this sequence id on.
std::string result_set(std::uint8_t sequence, int rows, std::uint16_t status = autocommit);

std::string query(std::string_view sql);
std::string command(std::uint8_t code, std::string_view rest = {});

}  // namespace isotap::mysql::test
