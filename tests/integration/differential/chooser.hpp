#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace isotap::test {

/// What comes next, by chance: the same for the same seed. Not thread-safe.
class Chooser {
  public:
    explicit Chooser(std::uint64_t seed) : random_(seed) {}

    int pick(int first, int last) { return std::uniform_int_distribution(first, last)(random_); }
    bool chance(int of) { return pick(1, of) == 1; }
    template <class Some>
    const auto& one_of(const Some& some) {
        return some[static_cast<std::size_t>(pick(0, static_cast<int>(std::size(some)) - 1))];
    }

  private:
    std::mt19937_64 random_;
};

}  // namespace isotap::test
