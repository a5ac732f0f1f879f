#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
};

/// `parameters` is what the statement has. Nothing for bytes that are no such packet, or of which
/// it is not certain how they are to be read.
std::optional<ExecuteRequest> decode_execute(Bytes payload, std::size_t parameters,
                                             Capabilities in_force) noexcept;

/// The same execution of `statement`, which has not been told of any types before.
std::vector<std::uint8_t> execute_of(std::uint32_t statement, Bytes payload,
                                     const ExecuteRequest& request, Bytes types);

}  // namespace isotap::mysql
