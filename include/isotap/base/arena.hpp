#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isotap/base/bytes.hpp"

namespace isotap {

/// Space for bytes that all go at once. What is handed out one after the other mostly lies side by
/// side. Keeps one block when it is emptied, so that the steady state allocates nothing. Not
/// thread-safe.
class Arena {
  public:
    /// Stays until `clear`.
    MutableBytes room(std::size_t size) {
        if (blocks_.empty() || blocks_.back().size() - used_ < size) {
            blocks_.emplace_back(std::max(size, block_size));
            used_ = 0;
        }
        const MutableBytes given = MutableBytes(blocks_.back()).subspan(used_, size);
        used_ += size;
        return given;
    }

    void clear() noexcept {
        used_ = 0;
        if (blocks_.size() > 1) {
            blocks_.resize(1);
        }
        if (!blocks_.empty() && blocks_.front().size() > block_size) {
            blocks_.clear();
        }
    }

  private:
    static constexpr std::size_t block_size = 128 * std::size_t{1024};

    std::vector<std::vector<std::uint8_t>> blocks_;
    std::size_t used_ = 0;  ///< of the last block
};

}  // namespace isotap
