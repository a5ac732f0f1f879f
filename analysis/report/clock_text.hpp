#pragma once

#include <string>

#include "isotap/base/clock.hpp"

namespace isotap::analysis {

/// "2026-11-18 16:41:02.123456", UTC.
std::string clock_text(Time at);

}  // namespace isotap::analysis
