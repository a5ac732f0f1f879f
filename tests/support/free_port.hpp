#pragma once

#include <cstdint>

namespace isotap::test {

/// A TCP port of 127.0.0.1 that nobody listens on. Somebody may take it before you do: prefer
/// programs that accept port 0, and try again when the others say it is taken.
std::uint16_t free_port();

}  // namespace isotap::test
