#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace isotap::analysis {

/// A set of ids that come almost in order, so that it is a few intervals however long it gets.
class IdIntervals {
  public:
    void add(std::uint64_t id) {
        auto after = intervals_.upper_bound(id);
        if (after != intervals_.begin()) {
            const auto before = std::prev(after);
            if (id <= before->second) {
                return;
            }
            if (before->second + 1 == id) {
                before->second = id;
                if (after != intervals_.end() && after->first == id + 1) {
                    before->second = after->second;
                    intervals_.erase(after);
                }
                return;
            }
        }
        if (after != intervals_.end() && after->first == id + 1) {
            const std::uint64_t last = after->second;
            intervals_.erase(after);
            intervals_.emplace(id, last);
            return;
        }
        intervals_.emplace(id, id);
    }

    [[nodiscard]] bool has(std::uint64_t id) const noexcept {
        const auto after = intervals_.upper_bound(id);
        return after != intervals_.begin() && id <= std::prev(after)->second;
    }

    [[nodiscard]] std::size_t intervals() const noexcept { return intervals_.size(); }

  private:
    std::map<std::uint64_t, std::uint64_t> intervals_;  // first -> last
};

}  // namespace isotap::analysis
