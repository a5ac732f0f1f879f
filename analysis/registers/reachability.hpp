#pragma once

#include <cstdint>
#include <vector>

namespace isotap::analysis {

/// Which vertex reaches which, kept up to date while arcs are added. A bit for every pair: for
/// graphs of some ten thousand vertices. A value: copy it to come back to a state.
class Reachability {
  public:
    explicit Reachability(std::uint32_t vertices)
        : vertices_(vertices),
          words_((vertices + bits - 1) / bits),
          bits_of_(std::size_t{vertices} * words_) {}

    [[nodiscard]] bool reaches(std::uint32_t from, std::uint32_t to) const noexcept {
        return from == to || (row(from)[to / bits] >> (to % bits) & 1) != 0;
    }

    /// False, and nothing changes, if the arc would close a cycle.
    bool add(std::uint32_t from, std::uint32_t to) noexcept {
        if (reaches(to, from)) {
            return false;
        }
        if (reaches(from, to)) {
            return true;
        }
        for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
            if (reaches(vertex, from)) {
                include(vertex, to);
            }
        }
        return true;
    }

    /// Everything that `to` reaches, and `to`, is reached from `from`.
    void include(std::uint32_t from, std::uint32_t to) noexcept {
        std::uint64_t* mine = bits_of_.data() + std::size_t{from} * words_;
        const std::uint64_t* its = row(to);
        for (std::size_t word = 0; word < words_; ++word) {
            mine[word] |= its[word];
        }
        mine[to / bits] |= std::uint64_t{1} << (to % bits);
    }

    [[nodiscard]] std::size_t bytes() const noexcept {
        return bits_of_.size() * sizeof(std::uint64_t);
    }

  private:
    static constexpr std::uint32_t bits = 64;

    [[nodiscard]] const std::uint64_t* row(std::uint32_t vertex) const noexcept {
        return bits_of_.data() + std::size_t{vertex} * words_;
    }

    std::uint32_t vertices_;
    std::size_t words_;
    std::vector<std::uint64_t> bits_of_;
};

}  // namespace isotap::analysis
