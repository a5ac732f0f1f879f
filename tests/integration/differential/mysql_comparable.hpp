#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// Packets of the MySQL family without what differs between any two servers.
namespace isotap::test {

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width);

/// How many bytes a length takes, by the first of them.
std::size_t width_of(char first);

/// In letters, with the other bytes as `\00`.
std::string readable(std::string_view bytes);

/// Where an OK or EOF has its flags and its number of warnings.
struct CompletionPlaces {
    std::size_t status = 0;
    std::size_t warnings = 0;
};
CompletionPlaces places_of(std::string_view completion);

/// A completion without the flags that tell of the plan, and with what it says of the session's
/// state in order. `new_columns`: with the flag that tells of them.
std::string comparable_completion(const std::string& payload, bool new_columns);

/// An error without what the plan decides: of several tables that LOCK TABLES has not locked,
/// which.
std::string comparable_error(const std::string& payload);

/// The definition of a column without what it is in the table that it comes from: which table that
/// is and its name there, decimals, part of which keys.
std::string without_source(std::string definition);

}  // namespace isotap::test
