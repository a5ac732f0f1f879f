// The report as it stands on a terminal, word for word.
#include "analysis/report/text_report.hpp"

#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/built_in_contracts.hpp"
#include "tests/unit/analysis/history_script.hpp"
#include "tests/unit/analysis/report/account_names.hpp"

namespace isotap::analysis::testing {
namespace {

using history::IsolationLevel;
using ::testing::HasSubstr;
using ::testing::Not;

class TextReport : public ::testing::Test {
  protected:
    /// Two read one row, and each writes what it computed; the statements are those of the names.
    void lose_update(HistoryScript::Id first, HistoryScript::Row row,
                     IsolationLevel level = IsolationLevel::read_committed) {
        const HistoryScript::Id second = first + 1;
        script_.begin(first, level);
        script_.begin(second, level);
        script_.read(first, row, t0);
        script_.read(second, row, t0);
        const auto made = script_.write(first, row, t0);
        script_.commit(first);
        script_.write(second, row, made);
        script_.commit(second);
        for (const HistoryScript::Id id : {first, second}) {
            names_.texts[history::TransactionId{id}] = {{1, "select balance from account"},
                                                        {2, "update account set balance = ?"}};
        }
    }

    std::string report() {
        script_.engine().finish();
        Findings findings;
        findings.source = "shop";
        findings.format = "live";
        findings.statistics = script_.engine().statistics();
        findings.verdict = script_.engine().verdict();
        findings.anomalies = script_.engine().anomalies();
        for (const Anomaly& anomaly : findings.anomalies) {
            findings.violated |= anomaly.violates;
        }
        std::ostringstream out;
        write_text_report(findings, names_, out);
        return out.str();
    }

    static EngineOptions on_postgres() {
        EngineOptions options;
        options.contract = built_in_contract("postgresql");
        return options;
    }

    HistoryScript script_{on_postgres()};
    AccountNames names_;
};

TEST_F(TextReport, SaysOfOneAnomalyAllThatIsNeeded) {
    lose_update(1, 7);
    EXPECT_EQ(report(), R"(shop: live, 2 transactions committed, 0 aborted, 0 indeterminate
verdict: hazard
not cursor-stability, update-atomic, nor anything stronger

#1 lost-update (lost update): hazard
  T2, session 2, committed, READ COMMITTED:
    1  select balance from account
    2  update account set balance = ?
  T1, session 1, committed, READ COMMITTED:
    1  select balance from account
    2  update account set balance = ?
  - T2 < T1, because T2 read row 7 of account before T1 changed it.
  - However T1 < T2, because T2 overwrote row 7 of account as T1 left it: a contradiction.
  What would prevent it:
  * Let statement 2 of T2 compute from the row itself (SET n = n - 1), not from what statement 1
    read.
  * Read with FOR UPDATE in statement 1 of T2: whoever comes second waits, and reads what the first
    one left.
  * Run T2 and T1 at REPEATABLE READ, which excludes this on PostgreSQL, and run a transaction again
    that is refused (SQLSTATE 40001).
)");
}

TEST_F(TextReport, ShowsTheFirstOfEachPatternAndHowManyMore) {
    for (HistoryScript::Id i = 0; i < 8; ++i) {
        lose_update(1 + 2 * i, i);
    }
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("\n#1 lost-update (lost update): hazard\n"));
    EXPECT_THAT(text, HasSubstr("\n  and 7 more like it: #2, #3, #4, #5, #6 …\n"));
    EXPECT_THAT(text, Not(HasSubstr("\n#2 ")));
    EXPECT_THAT(text, Not(HasSubstr("not kept")));
}

TEST_F(TextReport, ShowsBrokenPromisesFirst) {
    lose_update(1, 0);
    lose_update(3, 1, IsolationLevel::repeatable_read);
    const std::string text = report();
    const std::size_t violation = text.find("\n#2 lost-update (lost update): violation\n");
    const std::size_t hazard = text.find("\n#1 lost-update (lost update): hazard\n");
    ASSERT_NE(violation, std::string::npos);
    ASSERT_NE(hazard, std::string::npos);
    EXPECT_LT(violation, hazard);
}

TEST_F(TextReport, SaysThatMoreWereFoundThanAreKept) {
    lose_update(1, 7);
    script_.engine().finish();
    Findings findings;
    findings.statistics = script_.engine().statistics();
    findings.statistics.hazards = 42;
    findings.statistics.coverage.statements = 1;
    findings.statistics.coverage.opaque = 1;
    findings.statistics.coverage.reasons = {{history::NameId{1}, 1, "select\n1"}};
    findings.anomalies = script_.engine().anomalies();
    std::ostringstream out;
    write_text_report(findings, names_, out);
    EXPECT_THAT(out.str(), HasSubstr("\n41 more were found and are not kept\n"));
    EXPECT_THAT(out.str(), HasSubstr("for example select 1\n"));
}

TEST_F(TextReport, OfALongTransactionShowsWhatTheProofNames) {
    lose_update(1, 7);
    auto& statements = names_.texts[history::TransactionId{1}];
    statements.clear();
    for (std::uint32_t n = 3; n < 40; ++n) {
        statements.push_back({n, "select " + std::to_string(n)});
    }
    statements.push_back({2, "update account\nset balance = " + std::string(400, '9')});
    const std::string text = report();
    EXPECT_THAT(text, HasSubstr("    14  select 14\n    2  update account set balance = 999"));
    EXPECT_THAT(text, HasSubstr(" …\n    and 25 more statements\n"));
    EXPECT_THAT(text, Not(HasSubstr("select 15\n")));
}

}  // namespace
}  // namespace isotap::analysis::testing
