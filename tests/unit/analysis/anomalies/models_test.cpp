#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/analysis/anomaly.hpp"

namespace isotap::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

std::vector<std::string> weakest(AnomalyKind kind) {
    std::vector<std::string> names;
    for (const Model model : boundary_of(violated_by(kind)).weakest.list()) {
        names.emplace_back(to_string(model));
    }
    return names;
}

TEST(Models, NamesAreReadAsTheyAreWritten) {
    for (std::size_t i = 0; i < model_count; ++i) {
        const auto model = static_cast<Model>(i);
        EXPECT_EQ(model_from(to_string(model)), model);
        EXPECT_EQ(model_from(short_name(model)), model);
    }
    EXPECT_FALSE(model_from("fast").has_value());
    EXPECT_FALSE(model_from("").has_value());
}

TEST(Models, StrongerOnesImplyWeakerOnes) {
    EXPECT_EQ(implied_by(Model::strict_serializable).size(), static_cast<int>(model_count));
    EXPECT_EQ(at_least(Model::read_uncommitted).size(), static_cast<int>(model_count));
    EXPECT_FALSE(implied_by(Model::snapshot_isolation).has(Model::repeatable_read));
    EXPECT_FALSE(implied_by(Model::repeatable_read).has(Model::snapshot_isolation));
    for (std::size_t a = 0; a < model_count; ++a) {
        for (std::size_t b = 0; b < model_count; ++b) {
            EXPECT_EQ(implied_by(static_cast<Model>(a)).has(static_cast<Model>(b)),
                      at_least(static_cast<Model>(b)).has(static_cast<Model>(a)));
        }
    }
}

TEST(Models, TheWeakestThatFallAreThoseOfTheLiterature) {
    EXPECT_THAT(weakest({AnomalyType::g0, false, Order::none}), ElementsAre("read-uncommitted"));
    EXPECT_THAT(weakest({AnomalyType::g1a, false, Order::none}), ElementsAre("read-committed"));
    EXPECT_THAT(weakest({AnomalyType::g1c, false, Order::process}),
                ElementsAre("strong-session-read-committed"));
    EXPECT_THAT(weakest({AnomalyType::g_single, false, Order::none}),
                UnorderedElementsAre("consistent-view", "repeatable-read"));
    EXPECT_THAT(weakest({AnomalyType::g_single, false, Order::process}),
                ElementsAre("strong-session-snapshot-isolation"));
    EXPECT_THAT(weakest({AnomalyType::g_single, false, Order::real_time}),
                ElementsAre("strong-snapshot-isolation"));
    EXPECT_THAT(weakest({AnomalyType::g_nonadjacent, false, Order::none}),
                UnorderedElementsAre("repeatable-read", "snapshot-isolation"));
    EXPECT_THAT(weakest({AnomalyType::g2, false, Order::none}), ElementsAre("repeatable-read"));
    EXPECT_THAT(weakest({AnomalyType::g2, true, Order::none}), ElementsAre("serializable"));
    EXPECT_THAT(weakest({AnomalyType::g2, false, Order::real_time}),
                ElementsAre("strict-serializable"));
    EXPECT_THAT(weakest({AnomalyType::lost_update, false, Order::none}),
                UnorderedElementsAre("update-atomic", "cursor-stability"));
    EXPECT_THAT(weakest({AnomalyType::internal, false, Order::none}), ElementsAre("read-atomic"));
}

TEST(Models, AnomalyNamesAreReadAsTheyAreWritten) {
    for (std::size_t type = 0; type < anomaly_type_count; ++type) {
        for (const Order order : {Order::none, Order::process, Order::real_time}) {
            const AnomalyKind kind{static_cast<AnomalyType>(type), false, order};
            AnomalyKind read;
            ASSERT_TRUE(kind_from(name_of(kind), read)) << name_of(kind);
            EXPECT_EQ(read, kind) << name_of(kind);
            EXPECT_FALSE(violated_by(kind).empty()) << name_of(kind);
        }
    }
    EXPECT_EQ(name_of({AnomalyType::g2, true, Order::none}), "G2");
    EXPECT_EQ(name_of({AnomalyType::g2, false, Order::real_time}), "G2-item-realtime");
    AnomalyKind kind;
    ASSERT_TRUE(kind_from("G-single-item-process", kind)) << "as Elle has it";
    EXPECT_EQ(kind, (AnomalyKind{AnomalyType::g_single, false, Order::process}));
    EXPECT_FALSE(kind_from("G7", kind));
}

}  // namespace
}  // namespace isotap::analysis
