#pragma once

#include <cstddef>
#include <vector>

#include "analysis/dependencies/dependency.hpp"
#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

/// The dependencies between live transactions, in the order in which they were told: all that looks
/// at them looks at all of them, from the first to the last.
class DependencyGraph {
  public:
    void add(const Dependency& dependency) { edges_.push_back(dependency); }

    /// Forgets the edges for which `unwanted` says so; the others move up.
    template <typename Unwanted>
    void remove_if(Unwanted unwanted) {
        std::erase_if(edges_, unwanted);
    }

    [[nodiscard]] const std::vector<Dependency>& edges() const noexcept { return edges_; }
    /// By its place in `edges`.
    [[nodiscard]] const Dependency& operator[](Slot edge) const noexcept { return edges_[edge]; }

  private:
    std::vector<Dependency> edges_;
};

}  // namespace isotap::analysis
