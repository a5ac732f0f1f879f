#pragma once

#include <cstdint>

namespace isotap::protocol {

/// What becomes of a reply of the server on its way to the client.
enum class Treatment : std::uint8_t {
    forward,  ///< the client asked for it: pass it as it is
    strip,    ///< the client asked for a part of it: take out what instrumentation added
    swallow,  ///< the client did not ask for it
};

}  // namespace isotap::protocol
