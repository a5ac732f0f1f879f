// A write passes over what an open transaction has made of a row.
#include "proxy/workload/passed_over.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/proxy/workload/one_row_server.hpp"

namespace isotap::proxy {
namespace {

using history::IsolationLevel;
using history::StatementRef;
using history::TransactionId;
using history::Version;
using testing::IsEmpty;
using testing::SizeIs;

constexpr StatementRef searching{TransactionId{1}, 1};
constexpr StatementRef inserting{TransactionId{2}, 1};

/// What the two transactions do; each member turns one thing round.
struct Case {
    std::string_view search = "update test set value = 1 where value = 30";
    IsolationLevel level = IsolationLevel::read_committed;
    bool inserts_first = true;
    bool commits_first = true;
    bool got_the_row = false;
    bool named_already = false;
};

class Passing : public testing::Test {
  protected:
    Time tick() { return Time{std::chrono::nanoseconds{++now_}}; }

    void begin(TransactionId transaction, IsolationLevel level) {
        kept_.add(history::TransactionBegan{history::SessionId{1}, transaction, tick()});
        kept_.add(history::TransactionLevel{transaction, level});
    }

    void insert() {
        kept_.add(history::StatementBegan{inserting, tick(), "insert into test values (3, 30)"});
        kept_.add(history::Access{inserting, test_table, the_row, history::AccessKind::insert,
                                  Version::unborn(), Version::written_by(inserting)});
    }

    void search(const Case& what) {
        kept_.add(history::StatementBegan{searching, tick(), what.search});
        if (what.got_the_row) {
            kept_.add(history::Access{searching, test_table, the_row,
                                      history::AccessKind::locking_read,
                                      Version::written_by(inserting), Version{}});
        }
        history::StatementEnded end;
        end.statement = searching;
        end.coverage = history::Coverage::full;
        kept_.add(end);
    }

    void commit(TransactionId transaction) {
        const Time requested = tick();
        kept_.add(history::TransactionEnded{transaction, requested, tick()});
    }

    std::vector<workload::FoundAnomaly> found(const Case& what) {
        kept_.add(history::NameDefined{test_table, scratch_name() + ".test"});
        begin(searching.transaction, what.level);
        begin(inserting.transaction, what.level);
        if (what.inserts_first) insert();
        search(what);
        if (!what.inserts_first) insert();
        commit(what.commits_first ? inserting.transaction : searching.transaction);
        commit(what.commits_first ? searching.transaction : inserting.transaction);
        OneRow server({}, static_cast<std::uint32_t>(inserting.transaction));
        ConditionWitness witness(server);
        witness.look();
        analysis::Anomaly other;
        other.transactions = {{searching.transaction}, {inserting.transaction}};
        std::vector<analysis::Anomaly> others;
        if (what.named_already) others.push_back(other);
        const RunDigest digest(kept_, scratch_name(), history::Dialect::mysql);
        return passed_over(digest, witness, history::Dialect::mysql, others);
    }

  private:
    KeptEvents kept_;
    std::int64_t now_ = 0;
};

TEST_F(Passing, IsToldAsTheHazardThatItIs) {
    const auto anomalies = found({});
    ASSERT_THAT(anomalies, SizeIs(1));
    EXPECT_EQ(anomalies[0].name, "G-single-predicate-commit");
    EXPECT_EQ(anomalies[0].severity, "hazard");
    EXPECT_THAT(anomalies[0].explanation[1], testing::HasSubstr("insert into test values (3, 30)"));
}

TEST_F(Passing, IsNoneForAReader) {
    EXPECT_THAT(found({.search = "select * from test where value = 30"}), IsEmpty());
}

TEST_F(Passing, IsNoneAtSerializable) {
    EXPECT_THAT(found({.level = IsolationLevel::serializable}), IsEmpty());
}

TEST_F(Passing, IsNoneWhereTheRowCameLater) {
    EXPECT_THAT(found({.inserts_first = false}), IsEmpty());
}

TEST_F(Passing, IsNoneWhereTheCommitsAgree) {
    EXPECT_THAT(found({.commits_first = false}), IsEmpty());
}

TEST_F(Passing, IsNoneWhereTheRowWasNotPassedOver) {
    EXPECT_THAT(found({.got_the_row = true}), IsEmpty());
}

TEST_F(Passing, IsNotToldTwice) {
    EXPECT_THAT(found({.named_already = true}), IsEmpty());
}

}  // namespace
}  // namespace isotap::proxy
