#pragma once

#include <cstddef>

namespace isotap {

/// How often this program has asked for memory so far: linking counted_allocations.cpp replaces
/// the global operator new.
std::size_t counted_allocations() noexcept;

}  // namespace isotap
