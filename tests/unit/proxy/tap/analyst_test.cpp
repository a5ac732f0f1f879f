#include "proxy/tap/analyst.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/built_in_contracts.hpp"
#include "tests/unit/proxy/tap/skew.hpp"
#include "tests/unit/proxy/tap/told.hpp"

namespace isotap::proxy {
namespace {

using analysis::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AnalystTest : public ::testing::Test {
  protected:
    Analyst& analyst(bool values = true, Limits limits = {}) {
        AnalystOptions options;
        options.contract = &contract_;
        options.values = values;
        options.limits = limits;
        analyst_ = std::make_unique<Analyst>(
            options, bulletin_, [this](const Bulletin::Record& r) { told_.push_back(r); });
        return *analyst_;
    }
    /// Write skew by two transactions of two relay threads.
    void skew(std::uint64_t first = 1,
              history::IsolationLevel level = history::IsolationLevel::repeatable_read) {
        testing::write_skew(first, level, [this](std::size_t lane, const history::Event& event) {
            analyst_->accept(lane, event, false);
        });
    }

    analysis::Contract contract_ = *analysis::built_in_contract("postgresql");
    Bulletin bulletin_{100};
    std::vector<Bulletin::Record> told_;
    std::unique_ptr<Analyst> analyst_;
};

TEST_F(AnalystTest, FindsACycleBetweenTwoRelayThreads) {
    analyst();
    skew();
    analyst_->search();
    ASSERT_EQ(told_.size(), 1U);
    const AnomalyRecord& record = *told_.front();
    EXPECT_EQ(name_of(record.anomaly.kind), "G2-item");
    EXPECT_EQ(record.anomaly.severity, analysis::Severity::hazard) << "snapshots permit it";
    EXPECT_EQ(record.transactions.size(), 2U);
    const RecordNames names(record);
    EXPECT_EQ(names.table(record.anomaly.edges.at(0).table), "shop.doctor");
    EXPECT_EQ(names.statements(record.anomaly.edges.at(0).from).size(), 3U);
    EXPECT_EQ(bulletin_.status().verdict, Verdict::hazard);
    EXPECT_EQ(bulletin_.anomaly(1), told_.front());
    EXPECT_THAT(bulletin_.anomalies(1), IsEmpty());
}

TEST_F(AnalystTest, TellsEachAnomalyOnceHoweverOftenItLooks) {
    analyst();
    skew();
    analyst_->search();
    analyst_->search();
    analyst_->finish();
    EXPECT_EQ(told_.size(), 1U);
}

TEST_F(AnalystTest, AppliesTheContractOfTheEngine) {
    analyst();
    skew(1, history::IsolationLevel::serializable);
    analyst_->search();
    ASSERT_EQ(told_.size(), 1U);
    EXPECT_EQ(told_.front()->anomaly.severity, analysis::Severity::violation);
    EXPECT_EQ(bulletin_.tally().begin()->second, 1U);
}

TEST_F(AnalystTest, HidesLiteralsUnlessAskedToShowThem) {
    analyst(false);
    skew();
    analyst_->search();
    ASSERT_EQ(told_.size(), 1U);
    for (const KeptTransaction& transaction : told_.front()->transactions) {
        EXPECT_THAT(transaction.statements.at(2).text, HasSubstr("where name = ?"));
        EXPECT_THAT(transaction.statements.at(2).text, Not(HasSubstr("alice")));
    }
    EXPECT_EQ(RecordNames(*told_.front()).row(history::NameId{1}, {0, 7}), "7") << "no label";
    EXPECT_THAT(analyst_->transaction(history::TransactionId{1})->statements.at(2).text,
                Not(HasSubstr("alice")));
}

TEST_F(AnalystTest, KeepsItsHistoryWithinItsBound) {
    Limits limits;
    limits.kept_history = 64 * kibibyte;
    analyst(true, limits);
    for (std::uint64_t id = 100; id < 2'000; ++id) {
        analyst_->accept(0, testing::began(id, static_cast<std::int64_t>(id)), false);
        analyst_->accept(0, testing::statement(id, 1, std::string(500, 'x')), false);
        analyst_->accept(
            0, testing::ended(id, history::Outcome::committed, static_cast<std::int64_t>(id)),
            false);
    }
    EXPECT_EQ(analyst_->transaction(history::TransactionId{100}), std::nullopt);
    EXPECT_NE(analyst_->transaction(history::TransactionId{1'999}), std::nullopt);
}

TEST_F(AnalystTest, IsNeverCleanWhenSomethingWasLost) {
    analyst();
    testing::plain_update(1, [this](std::size_t lane, const history::Event& event) {
        analyst_->accept(lane, event, false);
    });
    analyst_->search();
    EXPECT_EQ(bulletin_.status().verdict, Verdict::clean);
    analyst_->accept(0, history::Gap{{}, history::TransactionId{9}, {}, 1, {}}, false);
    analyst_->search();
    EXPECT_EQ(bulletin_.status().verdict, Verdict::unknown);
    EXPECT_THAT(bulletin_.status().doubts, Not(IsEmpty()));
}

TEST_F(AnalystTest, IsNotCleanWhenNothingWasCaptured) {
    analyst();
    analyst_->accept(0, testing::began(1), false);
    analyst_->accept(0, testing::ended(1), false);
    analyst_->search();
    EXPECT_EQ(bulletin_.status().verdict, Verdict::unknown);
    EXPECT_THAT(bulletin_.status().doubts, ElementsAre(HasSubstr("or the mode is not")));

    history::StatementEnded opaque;
    opaque.statement = {history::TransactionId{2}, 1};
    opaque.coverage = history::Coverage::opaque;
    analyst_->accept(0, testing::began(2), false);
    analyst_->accept(0, testing::statement(2, 1, "select 1 from t"), false);
    analyst_->accept(0, opaque, false);
    analyst_->accept(0, testing::ended(2), false);
    analyst_->search();
    EXPECT_THAT(bulletin_.status().doubts, ElementsAre("1 statements were not captured"));
}

TEST_F(AnalystTest, JoinsNothingAcrossARestart) {
    analyst();
    std::size_t count = 0;
    testing::write_skew(1, history::IsolationLevel::serializable,
                        [&](std::size_t lane, const history::Event& event) {
                            if (++count == 8) {
                                analyst_->accept(1, history::Gap{{}, {}, {}, 5, {}}, true);
                            }
                            analyst_->accept(lane, event, false);
                        });
    analyst_->finish();
    EXPECT_THAT(told_, IsEmpty());
    EXPECT_EQ(bulletin_.status().verdict, Verdict::unknown);
    EXPECT_EQ(bulletin_.status().restarts, 1U);
}

TEST_F(AnalystTest, TakesNoTwoTablesWithoutANameForOne) {
    analyst();
    const auto write = [this](std::uint64_t id) {
        analyst_->accept(0, testing::began(id), false);
        analyst_->accept(
            0,
            history::Access{{history::TransactionId{id}, 1},
                            history::no_name,
                            {0, 1},
                            history::AccessKind::update,
                            history::Version::initial(),
                            history::Version::written_by({history::TransactionId{id}, 1})},
            false);
        analyst_->accept(0, testing::ended(id), false);
    };
    write(1);
    write(2);
    analyst_->finish();
    EXPECT_THAT(told_, IsEmpty());
}

TEST_F(AnalystTest, TellsTheTablesOfTwoDatabasesApart) {
    analyst();
    testing::write_skew(1, history::IsolationLevel::serializable,
                        [this](std::size_t lane, const history::Event& event) {
                            analyst_->accept(lane, event, false);
                        },
                        {"shop", "warehouse"});
    analyst_->finish();
    EXPECT_THAT(told_, IsEmpty());
}

TEST_F(AnalystTest, CountsStatementsByTheirFirstWord) {
    analyst();
    analyst_->accept(0, testing::began(1), false);
    for (const char* text : {"SELECT 1", "/* hint */ (select 2)", "insert into t values (1)",
                             "Update t set a = 1", "delete from t", "commit", "vacuum", ""}) {
        analyst_->accept(0, testing::statement(1, 1, text), false);
    }
    analyst_->search();
    EXPECT_THAT(bulletin_.status().statements, ElementsAre(2, 1, 1, 1, 1, 2));
}

}  // namespace
}  // namespace isotap::proxy
