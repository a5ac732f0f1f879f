#pragma once

#include <chrono>

namespace isotap {

/// Wall time in nanoseconds. The core never asks for the time: whoever drives it hands the time in,
/// so that a session, a recording and a simulation replay alike.
using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

inline Time system_now() noexcept {
    return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
}

}  // namespace isotap
