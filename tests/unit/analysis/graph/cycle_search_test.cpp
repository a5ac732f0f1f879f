#include "analysis/graph/cycle_search.hpp"

#include <chrono>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/graph/dependency_graph.hpp"
#include "analysis/graph/search_graph.hpp"

namespace isotap::analysis {
namespace {

bool every_arc(const SearchGraph::Arc&) {
    return true;
}

Time at(int moment) {
    return Time{std::chrono::seconds{moment}};
}

class Graph {
  public:
    explicit Graph(Slot nodes) {
        for (Slot slot = 0; slot < nodes; ++slot) {
            members_.push_back({slot, {}, {}, false});
        }
    }
    void edge(Slot from, Slot to, EdgeKind kind, Slot row = 1) {
        Dependency dependency;
        dependency.from = from;
        dependency.to = to;
        dependency.kind = kind;
        dependency.row = row;
        graph_.add(dependency);
    }
    void lasts(Slot slot, int began, int ended) {
        members_[slot].began = at(began);
        members_[slot].ended = at(ended);
    }
    [[nodiscard]] SearchGraph packed(bool real_time = false) const {
        return {graph_, members_, real_time};
    }

  private:
    DependencyGraph graph_;
    std::vector<SearchGraph::Member> members_;
};

std::vector<CycleSearch::Step> first_cycle(const SearchGraph& graph, CyclePattern pattern,
                                           SearchGraph::Node from) {
    const Components components = components_of(graph, every_arc);
    const Components informed =
        components_of(graph, [](const SearchGraph::Arc& arc) { return arc.kind != EdgeKind::rw; });
    CycleSearch search{graph, components, informed, true};
    return search.through(from, graph.from(from)[0], pattern);
}

std::size_t rw_of(const std::vector<CycleSearch::Step>& steps) {
    std::size_t count = 0;
    for (const auto& step : steps) {
        count += step.arc->kind == EdgeKind::rw ? 1U : 0U;
    }
    return count;
}

TEST(CycleSearch, FewestArcsThenFewestReadsBeforeWrites) {
    Graph g{7};
    g.edge(0, 1, EdgeKind::rw);
    g.edge(1, 2, EdgeKind::rw);  // two ways of the same length, and a longer one without rw
    g.edge(2, 0, EdgeKind::rw);
    g.edge(1, 3, EdgeKind::ww);
    g.edge(3, 0, EdgeKind::rw);
    g.edge(1, 4, EdgeKind::ww);
    g.edge(4, 5, EdgeKind::ww);
    g.edge(5, 0, EdgeKind::ww);
    const SearchGraph graph = g.packed();
    const auto any = first_cycle(graph, {CyclePattern::Shape::any, false, Order::none}, 0);
    ASSERT_EQ(any.size(), 3U);
    EXPECT_EQ(rw_of(any), 2U);
    const auto single = first_cycle(graph, {CyclePattern::Shape::single, false, Order::none}, 0);
    ASSERT_EQ(single.size(), 4U);
    EXPECT_EQ(rw_of(single), 1U);
}

TEST(CycleSearch, NonadjacentMeansTheEndsToo) {
    Graph g{4};
    g.edge(0, 1, EdgeKind::rw);
    g.edge(1, 2, EdgeKind::wr);
    g.edge(2, 3, EdgeKind::rw);
    const CyclePattern nonadjacent{CyclePattern::Shape::nonadjacent, false, Order::none};
    Graph open = g;  // the last arc and the first follow one another as well
    open.edge(3, 0, EdgeKind::rw);
    EXPECT_TRUE(first_cycle(open.packed(), nonadjacent, 0).empty());
    g.edge(3, 0, EdgeKind::wr);
    EXPECT_EQ(first_cycle(g.packed(), nonadjacent, 0).size(), 4U);
}

TEST(CycleSearch, TimePassesOnlyForward) {
    Graph g{3};
    g.edge(2, 0, EdgeKind::rw);
    g.lasts(0, 1, 2);
    g.lasts(1, 1, 9);
    g.lasts(2, 3, 4);
    const CyclePattern single{CyclePattern::Shape::single, false, Order::real_time};
    const auto steps = first_cycle(g.packed(true), single, 2);
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps[1].from, 0U);

    Graph overlapping{3};
    overlapping.edge(2, 0, EdgeKind::rw);
    overlapping.lasts(0, 1, 3);  // at the same moment: not before
    overlapping.lasts(1, 1, 9);
    overlapping.lasts(2, 3, 4);
    EXPECT_TRUE(first_cycle(overlapping.packed(true), single, 2).empty());
}

/// Against the plain definition: two nodes are in one component if each reaches the other.
TEST(Components, AgreeWithReachability) {
    std::mt19937_64 random{3};
    for (int round = 0; round < 200; ++round) {
        const auto size = static_cast<Slot>(2 + random() % 12);
        Graph g{size};
        std::vector<std::vector<bool>> reaches(size, std::vector<bool>(size, false));
        for (std::size_t n = random() % (std::size_t{2} * size); n-- > 0;) {
            const auto from = static_cast<Slot>(random() % size);
            const auto to = static_cast<Slot>(random() % size);
            if (from != to) {
                g.edge(from, to, EdgeKind::ww);
                reaches[from][to] = true;
            }
        }
        for (Slot by = 0; by < size; ++by) {
            for (Slot a = 0; a < size; ++a) {
                for (Slot b = 0; b < size; ++b) {
                    reaches[a][b] = reaches[a][b] || (reaches[a][by] && reaches[by][b]);
                }
            }
        }
        const SearchGraph graph = g.packed();
        const Components components = components_of(graph, every_arc);
        for (Slot a = 0; a < size; ++a) {
            for (Slot b = 0; b < size; ++b) {
                const bool together = a == b || (reaches[a][b] && reaches[b][a]);
                ASSERT_EQ(components.of[a] == components.of[b], together);
                ASSERT_TRUE(!reaches[a][b] || components.of[a] >= components.of[b]);
            }
            ASSERT_EQ(components.nodes(components.of[a])[components.rank[a]], a);
        }
    }
}

}  // namespace
}  // namespace isotap::analysis
