#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isotap/base/bytes.hpp"

#include "protocol/mysql/capabilities.hpp"

namespace isotap::mysql {

/// A COM_STMT_EXECUTE, as far as it says of which types its parameters are. A client says that once
/// and leaves it out of later executions. Views into the packet.
struct ExecuteRequest {
    std::uint32_t statement = 0;
    std::size_t types_follow_at = 0;  ///< where the packet says whether it tells them; 0: no values
    Bytes types;  ///< of all values, and their names where these travel; empty: those of before
    std::size_t count = 0;  ///< of the values
    bool named = false;     ///< their names travel
    Bytes nulls;            ///< a bit for each
    Bytes values;           ///< those that are not NULL, and were not sent ahead
};

/// `parameters` is what the statement has. Nothing for bytes that are no such packet, or of which
/// it is not certain how they are to be read.
std::optional<ExecuteRequest> decode_execute(Bytes payload, std::size_t parameters,
                                             Capabilities in_force) noexcept;

/// The same execution of `statement`, which has not been told of any types before.
std::vector<std::uint8_t> execute_of(std::uint32_t statement, Bytes payload,
                                     const ExecuteRequest& request, Bytes types);

/// An execution of another statement, whose number is still zero, with `chosen` ones of the values.
/// `types`: those in force. Nothing where the values cannot be told apart.
std::optional<std::vector<std::uint8_t>> execute_with(const ExecuteRequest& request, Bytes types,
                                                      std::span<const std::size_t> chosen);

/// Puts the number of the statement into an execution.
void name_statement(std::uint32_t statement, std::span<std::uint8_t> payload) noexcept;

}  // namespace isotap::mysql
