#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace isotap::proxy {

/// What came of a statement that nobody had a plan for.
enum class PlanOutcome : std::uint8_t {
    unchanged,      ///< nothing is added to it, so nothing had to be proved
    proved,         ///< the server takes the rewritten text for the original
    unproved,       ///< no server prepares such a text: only its refusal would disprove it
    refuted,        ///< the server does not: its statements go as they came
    not_prepared,   ///< the server does not take the original alone: nothing to prove for now
    locked,         ///< a lock of a client was in the way; to be tried again
    not_as_user,    ///< the proxy's login may not do what the client's may
    no_connection,  ///< no side connection; to be tried again
    too_many,       ///< `Limits::queued_plans` or `Limits::plan_contexts`
};
inline constexpr std::size_t plan_outcome_count = 9;

/// As a metric's label spells it.
std::string_view to_string(PlanOutcome outcome) noexcept;

}  // namespace isotap::proxy
