#pragma once

#include <chrono>
#include <string>

namespace isotap::proxy {

/// Runs a command by `/bin/sh` with a text on its standard input, and waits for its end, so long at
/// most; then it is killed. Empty when it ended with 0, else why not.
std::string run_alert_command(const std::string& command, const std::string& input,
                              std::chrono::milliseconds patience) noexcept;

}  // namespace isotap::proxy
