#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/history_script.hpp"

namespace isotap::analysis::testing {
namespace {

using ::testing::HasSubstr;

TEST(Advice, NamesTheStatementThatShouldHaveLocked) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 5, t0);
    h.read(1, 1, t0);
    const auto v = h.write(2, 1, t0);
    h.commit(2);
    h.write(1, 1, v);
    h.commit(1);
    h.engine().finish();
    ASSERT_EQ(h.engine().anomalies().size(), 1U);
    EXPECT_THAT(advice(h.engine().anomalies()[0]), HasSubstr("FOR UPDATE in statement 2 of T1"));
}

TEST(Advice, NamesBothReadsOfAWriteSkew) {
    HistoryScript h;
    h.begin(1);
    h.begin(2);
    h.read(1, 1, t0);
    h.read(2, 2, t0);
    h.write(1, 2, t0);
    h.write(2, 1, t0);
    h.commit(1);
    h.commit(2);
    h.engine().finish();
    ASSERT_EQ(h.engine().anomalies().size(), 1U);
    const std::string said = advice(h.engine().anomalies()[0]);
    EXPECT_THAT(said, HasSubstr("SERIALIZABLE"));
    EXPECT_THAT(said, HasSubstr("statement 1 of T1"));
    EXPECT_THAT(said, HasSubstr("statement 1 of T2"));
}

TEST(Advice, EveryTypeHasOne) {
    for (std::size_t type = 0; type < anomaly_type_count; ++type) {
        for (const bool predicate : {false, true}) {
            for (const Order order : {Order::none, Order::process, Order::real_time}) {
                Anomaly anomaly;
                anomaly.kind = {static_cast<AnomalyType>(type), predicate, order};
                anomaly.edges.push_back({});
                anomaly.edges.back().kind = EdgeKind::rw;
                EXPECT_FALSE(advice(anomaly).empty()) << name_of(anomaly.kind);
                EXPECT_FALSE(plain_name(anomaly).empty()) << name_of(anomaly.kind);
            }
        }
    }
}

}  // namespace
}  // namespace isotap::analysis::testing
