#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isotap::analysis {

/// A directed graph over numbers, built from a list of edges at once; asked for cycles only.
/// Memory: four bytes an edge and four a vertex, besides the edges, which must outlive it.
class OrderGraph {
  public:
    struct Arc {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };

    OrderGraph(std::uint32_t vertices, std::span<const Arc> arcs);

    /// Every vertex before all that it reaches; shorter than the graph if there is a cycle.
    [[nodiscard]] std::vector<std::uint32_t> topological_order() const;

    /// One short cycle for each strongly connected component, as positions in the list of arcs; at
    /// most `limit` of them.
    [[nodiscard]] std::vector<std::vector<std::uint32_t>> cycles(std::size_t limit) const;

  private:
    struct Arrivals {
        std::vector<std::uint32_t> component_of;
        std::vector<std::uint32_t> marks;
        std::vector<std::uint32_t> arrived_by;
        std::uint32_t search = 0;
    };

    [[nodiscard]] std::span<const std::uint32_t> out(std::uint32_t vertex) const noexcept {
        return std::span(out_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }
    [[nodiscard]] std::vector<std::uint32_t> components() const;
    [[nodiscard]] std::vector<std::uint32_t> shortest_cycle(std::uint32_t through,
                                                            Arrivals& arrivals,
                                                            std::uint32_t component) const;

    std::uint32_t vertices_;
    std::span<const Arc> arcs_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> out_;  ///< positions of arcs, by where they begin
};

}  // namespace isotap::analysis
