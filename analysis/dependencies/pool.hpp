#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace isotap::analysis {

/// Names a place in a `Pool`; small, so that structures full of them stay small.
using Slot = std::uint32_t;
inline constexpr Slot no_slot = std::numeric_limits<Slot>::max();

/// Values in one block of memory, addressed by number; freed places are used again, most recent
/// first. References are good until the next `take`. T is reset to its default when taken.
template <typename T>
class Pool {
  public:
    Slot take() {
        if (!free_.empty()) {
            const Slot slot = free_.back();
            free_.pop_back();
            values_[slot] = T{};
            return slot;
        }
        values_.emplace_back();
        return static_cast<Slot>(values_.size() - 1);
    }

    void give_back(Slot slot) {
        assert(slot < values_.size());
        free_.push_back(slot);
    }

    T& operator[](Slot slot) noexcept {
        assert(slot < values_.size());
        return values_[slot];
    }
    const T& operator[](Slot slot) const noexcept {
        assert(slot < values_.size());
        return values_[slot];
    }

    [[nodiscard]] std::size_t in_use() const noexcept { return values_.size() - free_.size(); }
    /// One more than the largest slot ever taken.
    [[nodiscard]] std::size_t extent() const noexcept { return values_.size(); }

  private:
    std::vector<T> values_;
    std::vector<Slot> free_;
};

}  // namespace isotap::analysis
