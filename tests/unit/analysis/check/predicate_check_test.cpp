// Histories in which rows come and go, and are chosen by a condition.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/check/history_check.hpp"

namespace isotap::analysis {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Findings check(const std::string& operations, Model model = Model::serializable) {
    std::string text;
    std::size_t session = 0;
    for (std::size_t at = 0; at < operations.size();) {
        const std::size_t end = operations.find('\n', at);
        const std::string line = operations.substr(at, end - at);
        const bool initial = line.starts_with('{');
        text += "{:type :ok, :f " + std::string(initial ? ":init" : ":txn") + ", :process " +
                std::to_string(session++) + ", :value " + line + "}\n";
        at = end + 1;
    }
    const auto read = history::read_history_text(text, "history");
    EXPECT_TRUE(read) << (read ? "" : read.error().message());
    CheckOptions options;
    options.asked = ModelSet{model};
    return check_history(*read, "history", options);
}

std::vector<std::string> names_of(const Findings& findings) {
    std::vector<std::string> names;
    for (const Anomaly& anomaly : findings.anomalies) {
        names.push_back(name_of(anomaly.kind));
    }
    return names;
}

TEST(PredicateCheck, ASerialHistoryIsClean) {
    const Findings findings = check(
        "{:x 1}\n"
        "[[:rp :true {:x 1}] [:insert :y 2]]\n"
        "[[:rp [:mod 2 0] {:y 2}] [:w :x 4]]\n"
        "[[:r :x 4] [:rp :true {:x 4, :y 2}]]\n");
    EXPECT_EQ(findings.verdict, Verdict::clean);
    EXPECT_THAT(findings.anomalies, IsEmpty());
}

TEST(PredicateCheck, TwoInsertsThatEachMissTheOtherAreAPhantom) {
    const Findings findings = check(
        "[[:rp :true {}] [:insert :x 1]]\n"
        "[[:rp :true {}] [:insert :y 2]]\n");
    EXPECT_EQ(findings.verdict, Verdict::violation);
    EXPECT_THAT(names_of(findings), ElementsAre("G2"));
    EXPECT_FALSE(findings.violated.has(Model::repeatable_read)) << "no row that was read changed";
    EXPECT_EQ(findings.anomalies[0].edges[0].from_statement, 1U);
    EXPECT_EQ(findings.anomalies[0].edges[0].to_statement, 2U);
}

TEST(PredicateCheck, ARowThatIsGoneWasSeenAsItsDeleteLeftIt) {
    const Findings findings = check(
        "{:x 0, :y 0}\n"
        "[[:delete :x] [:rp :true {}]]\n"
        "[[:delete :y] [:rp :true {}]]\n");
    EXPECT_THAT(names_of(findings), Contains("G1c"));
    EXPECT_TRUE(findings.violated.has(Model::read_committed));
}

TEST(PredicateCheck, AReadThatMissesAnOwnWriteIsInternal) {
    const Findings findings = check("[[:insert :x 1] [:rp :true {}]]\n");
    EXPECT_THAT(names_of(findings), ElementsAre("internal"));
}

TEST(PredicateCheck, WhatSeveralStatesExplainProvesNothing) {
    // y may have been read before it was inserted, or after it was deleted.
    const Findings findings = check(
        "[[:insert :y 1]]\n"
        "[[:delete :y]]\n"
        "[[:rp :true {}]]\n");
    EXPECT_EQ(findings.verdict, Verdict::unknown);
    ASSERT_EQ(findings.doubts.size(), 1U);
    EXPECT_EQ(findings.doubts[0], "1 reads of absent keys could have seen several states");
}

TEST(PredicateCheck, RepeatableReadIsNotDecided) {
    EXPECT_EQ(check("[[:rp :true {}]]\n", Model::repeatable_read).verdict, Verdict::unknown);
}

}  // namespace
}  // namespace isotap::analysis
