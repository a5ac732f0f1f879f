#include "analysis/dependencies/id_intervals.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace isotap::analysis {
namespace {

TEST(IdIntervals, AnyOrderEndsInOneInterval) {
    std::vector<std::uint64_t> ids(1000);
    std::iota(ids.begin(), ids.end(), 17);
    std::shuffle(ids.begin(), ids.end(), std::mt19937_64{5});
    IdIntervals set;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        EXPECT_FALSE(set.has(ids[i]));
        set.add(ids[i]);
        set.add(ids[i / 2]);
        EXPECT_TRUE(set.has(ids[i]));
    }
    EXPECT_EQ(set.intervals(), 1U);
    EXPECT_FALSE(set.has(16));
    EXPECT_FALSE(set.has(1017));
    EXPECT_TRUE(set.has(17));
    EXPECT_TRUE(set.has(1016));
}

}  // namespace
}  // namespace isotap::analysis
