// What is said to prevent an anomaly goes by its pattern, by the engine, and names statements.
#include "analysis/report/remedies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/built_in_contracts.hpp"
#include "tests/unit/analysis/history_script.hpp"
#include "tests/unit/analysis/report/account_names.hpp"

namespace isotap::analysis::testing {
namespace {

using history::IsolationLevel;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

EngineOptions on(std::string_view engine) {
    EngineOptions options;
    options.contract = built_in_contract(engine);
    return options;
}

std::vector<std::string> only_remedies(HistoryScript& h) {
    h.engine().finish();
    EXPECT_EQ(h.engine().anomalies().size(), 1U);
    return h.engine().anomalies().empty()
               ? std::vector<std::string>{}
               : remedies(h.engine().anomalies().front(), AccountNames{});
}

std::vector<std::string> on_lost_update(std::string_view engine, IsolationLevel level) {
    HistoryScript h{on(engine)};
    h.begin(1, level);
    h.begin(2, level);
    h.read(1, 5, t0);
    h.read(1, 1, t0);
    const auto v = h.write(2, 1, t0);
    h.commit(2);
    h.write(1, 1, v);
    h.commit(1);
    return only_remedies(h);
}

TEST(Remedies, OfALostUpdateBeginWithTheStatementThatOverwrites) {
    EXPECT_THAT(
        on_lost_update("postgresql", IsolationLevel::read_committed),
        ElementsAre("Let statement 3 of T1 compute from the row itself (SET n = n - 1), not from "
                    "what statement 2 read.",
                    "Read with FOR UPDATE in statement 2 of T1: whoever comes second waits, and "
                    "reads what the first one left.",
                    "Run T1 and T2 at REPEATABLE READ, which excludes this on PostgreSQL, and run "
                    "a transaction again that is refused (SQLSTATE 40001)."));
}

TEST(Remedies, NameTheLevelThatHelpsOnThatEngine) {
    EXPECT_THAT(on_lost_update("mysql", IsolationLevel::repeatable_read),
                Contains("Run T1 and T2 at SERIALIZABLE, which excludes this on MySQL, and run a "
                         "transaction again that is refused (error 1213)."));
    EXPECT_THAT(on_lost_update("mariadb", IsolationLevel::repeatable_read),
                Contains(HasSubstr("innodb_snapshot_isolation")));
    EXPECT_THAT(on_lost_update("mariadb-snapshot", IsolationLevel::read_committed),
                AllOf(Contains(HasSubstr("at REPEATABLE READ")),
                      Each(Not(HasSubstr("innodb_snapshot_isolation")))));
    EXPECT_THAT(on_lost_update("", IsolationLevel::unknown),
                Contains(HasSubstr("such as snapshot isolation")));
}

std::vector<std::string> on_write_skew(IsolationLevel level) {
    HistoryScript h{on("postgresql")};
    h.begin(1, level);
    h.begin(2, level);
    h.read(1, 1, t0);
    h.read(2, 2, t0);
    h.write(1, 2, t0);
    h.write(2, 1, t0);
    h.commit(1);
    h.commit(2);
    return only_remedies(h);
}

TEST(Remedies, OfAWriteSkewNameBothReads) {
    EXPECT_THAT(on_write_skew(IsolationLevel::repeatable_read),
                ElementsAre(AllOf(HasSubstr("FOR UPDATE"), HasSubstr("statement 1 of T1"),
                                  HasSubstr("statement 1 of T2")),
                            HasSubstr("at SERIALIZABLE, which excludes this on PostgreSQL"),
                            HasSubstr("constraint")));
}

TEST(Remedies, OfAViolationAskNothingOfTheApplication) {
    EXPECT_THAT(on_write_skew(IsolationLevel::serializable),
                ElementsAre(AllOf(HasSubstr("PostgreSQL documents"), HasSubstr("report it"))));
}

std::vector<std::string> on_read_skew(std::string_view engine) {
    HistoryScript h{on(engine)};
    h.begin(1, IsolationLevel::read_committed);
    h.begin(2, IsolationLevel::read_committed);
    h.read(1, 1, t0);
    h.write(2, 1, t0);
    const auto v = h.write(2, 2, t0);
    h.commit(2);
    h.read(1, 2, v);
    h.commit(1);
    return only_remedies(h);
}

TEST(Remedies, OfAReadSkewAreTheReadersAlone) {
    EXPECT_THAT(
        on_read_skew("postgresql"),
        ElementsAre("Read in one statement what statements 1 and 2 of T1 read: a statement sees "
                    "one state.",
                    "Run T1 at REPEATABLE READ, which excludes this on PostgreSQL.",
                    "Read with FOR SHARE in statement 1 of T1."));
    EXPECT_THAT(on_read_skew("mariadb"), Contains(HasSubstr("LOCK IN SHARE MODE")));
}

std::vector<std::string> on_phantom(std::string_view engine) {
    Anomaly anomaly;
    anomaly.kind = {AnomalyType::g2, true, Order::none};
    anomaly.engine = engine;
    anomaly.excluded_at = IsolationLevel::serializable;
    CycleEdge edge;
    edge.kind = EdgeKind::rw;
    edge.predicate = true;
    edge.from = history::TransactionId{1};
    edge.to = history::TransactionId{2};
    edge.from_statement = 2;
    anomaly.edges = {edge};
    return remedies(anomaly, AccountNames{});
}

TEST(Remedies, OfRowsThatDoNotExistYetGoByWhatTheEngineLocks) {
    EXPECT_THAT(on_phantom("postgresql"), Each(Not(HasSubstr("gap locks"))));
    EXPECT_THAT(on_phantom("mysql"),
                Contains(AllOf(HasSubstr("gap locks"), HasSubstr("statement 2 of T1"))));
    for (const char* engine : {"postgresql", "mysql"}) {
        EXPECT_THAT(on_phantom(engine).front(), HasSubstr("constraint"));
        EXPECT_THAT(on_phantom(engine), Contains(HasSubstr("SERIALIZABLE")));
    }
}

TEST(Remedies, EveryTypeHasOne) {
    const AccountNames names;
    for (std::size_t type = 0; type < anomaly_type_count; ++type) {
        for (const bool predicate : {false, true}) {
            for (const Order order : {Order::none, Order::process, Order::real_time}) {
                for (const auto& edges : {std::vector<CycleEdge>{}, std::vector<CycleEdge>(1)}) {
                    Anomaly anomaly;
                    anomaly.kind = {static_cast<AnomalyType>(type), predicate, order};
                    anomaly.edges = edges;
                    EXPECT_THAT(remedies(anomaly, names), Not(::testing::IsEmpty()))
                        << name_of(anomaly.kind);
                    EXPECT_FALSE(advice(anomaly, names).empty());
                    EXPECT_FALSE(plain_name(anomaly).empty()) << name_of(anomaly.kind);
                }
            }
        }
    }
}

}  // namespace
}  // namespace isotap::analysis::testing
