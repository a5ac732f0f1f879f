#pragma once

#include <string>

#include "isotap/proxy/startup_error.hpp"

namespace isotap::proxy {

/// What is said when `read` refuses its input as wrong usage; empty when it takes it.
template <typename Read>
std::string refusal_of(Read read) {
    try {
        read();
    } catch (const StartupError& error) {
        return error.exit_code() == 2 ? error.what() : "not as wrong usage";
    }
    return "";
}

}  // namespace isotap::proxy
