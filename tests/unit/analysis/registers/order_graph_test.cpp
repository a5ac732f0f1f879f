#include "analysis/registers/order_graph.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace isotap::analysis {
namespace {

using Arcs = std::vector<OrderGraph::Arc>;

TEST(OrderGraph, SortsWhatHasNoCycle) {
    const Arcs arcs{{2, 1}, {1, 0}, {2, 0}};
    const OrderGraph graph(3, arcs);
    EXPECT_EQ(graph.topological_order(), (std::vector<std::uint32_t>{2, 1, 0}));
    EXPECT_TRUE(graph.cycles(8).empty());
}

TEST(OrderGraph, FindsAShortCycleOfEveryComponent) {
    const Arcs arcs{{0, 1}, {1, 2}, {2, 0}, {1, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 3}};
    const OrderGraph graph(6, arcs);
    EXPECT_LT(graph.topological_order().size(), 6U);
    const auto cycles = graph.cycles(8);
    ASSERT_EQ(cycles.size(), 2U);
    EXPECT_EQ(cycles[0].size(), 2U) << "0 1, not 0 1 2";
    EXPECT_EQ(cycles[1].size(), 3U);
}

TEST(OrderGraph, ALongChainNeedsNoCallStack) {
    Arcs arcs;
    constexpr std::uint32_t vertices = 100'000;
    for (std::uint32_t i = 0; i + 1 < vertices; ++i) {
        arcs.push_back({i, i + 1});
    }
    EXPECT_TRUE(OrderGraph(vertices, arcs).cycles(1).empty());
    arcs.push_back({vertices - 1, 0});
    EXPECT_EQ(OrderGraph(vertices, arcs).cycles(1).at(0).size(), vertices);
}

}  // namespace
}  // namespace isotap::analysis
