#pragma once

#include <string_view>

#include "isotap/history/events.hpp"

namespace isotap::history {

/// The words that reports and JSON use.
std::string_view to_string(IsolationLevel level) noexcept;
std::string_view to_string(Outcome outcome) noexcept;

}  // namespace isotap::history
