#pragma once

#include <string>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

/// Ends the reading of what a person wrote; the message has the form 'what is wrong: what to do'.
[[noreturn]] inline void refuse(const std::string& message) {
    throw StartupError(StartupError::Kind::usage, message);
}

}  // namespace isotap::proxy
