#include "proxy/tap/event_counters.hpp"

#include <algorithm>
#include <string_view>

#include <gtest/gtest.h>

namespace isotap::proxy {
namespace {

using history::Outcome;
using history::StatementOutcome;

history::StatementEnded failed(std::string_view state, std::uint32_t number = 0) {
    history::StatementEnded ended;
    ended.outcome = StatementOutcome::failed;
    ended.error_number = number;
    std::copy(state.begin(), state.end(), ended.sql_state.begin());
    return ended;
}

class EventCountersTest : public testing::Test {
  protected:
    RelayCounters counters_;
    EventCounters sink_{counters_};
};

TEST_F(EventCountersTest, CountsStatementsAndThoseThatFailed) {
    sink_.accept(history::StatementBegan{});
    sink_.accept(history::StatementBegan{});
    sink_.accept(history::StatementEnded{});
    sink_.accept(failed("42601"));
    EXPECT_EQ(counters_.statements.value(), 2U);
    EXPECT_EQ(counters_.statements_failed.value(), 1U);
    EXPECT_EQ(counters_.deadlocks.value(), 0U);
    EXPECT_EQ(counters_.serialization_failures.value(), 0U);
}

TEST_F(EventCountersTest, TellsDeadlocksFromSerializationFailuresInBothDialects) {
    sink_.accept(failed("40P01"));
    sink_.accept(failed("40001", 1213));  // MySQL's deadlock
    EXPECT_EQ(counters_.deadlocks.value(), 2U);
    EXPECT_EQ(counters_.serialization_failures.value(), 0U);
    sink_.accept(failed("40001"));
    EXPECT_EQ(counters_.serialization_failures.value(), 1U);
}

TEST_F(EventCountersTest, LooksAtTheStateOfFailedStatementsOnly) {
    history::StatementEnded skipped = failed("40001");
    skipped.outcome = StatementOutcome::skipped;
    sink_.accept(skipped);
    EXPECT_EQ(counters_.statements_failed.value(), 0U);
    EXPECT_EQ(counters_.serialization_failures.value(), 0U);
}

TEST_F(EventCountersTest, CountsTransactionsByTheirOutcome) {
    for (const Outcome outcome :
         {Outcome::committed, Outcome::committed, Outcome::aborted, Outcome::indeterminate}) {
        history::TransactionEnded ended;
        ended.outcome = outcome;
        sink_.accept(ended);
    }
    EXPECT_EQ(counters_.transactions_committed.value(), 2U);
    EXPECT_EQ(counters_.transactions_aborted.value(), 1U);
    EXPECT_EQ(counters_.transactions_indeterminate.value(), 1U);
}

}  // namespace
}  // namespace isotap::proxy
