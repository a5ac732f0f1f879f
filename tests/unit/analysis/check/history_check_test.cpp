#include "analysis/check/history_check.hpp"

#include <array>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "analysis/check/history_names.hpp"
#include "analysis/report/document_reports.hpp"
#include "analysis/report/drawing.hpp"
#include "analysis/report/json_report.hpp"
#include "analysis/report/text_report.hpp"
#include "tests/unit/analysis/check/elle_names.hpp"

namespace isotap::analysis {
namespace {

struct Checked {
    history::ReadHistory read;
    Findings findings;

    explicit Checked(std::string_view text, CheckOptions options = {})
        : read(history::read_history_text(text, "file").value()),
          findings(check_history(read, "file", options)) {}
};

constexpr std::string_view write_skew = "[x==0 y:=1]\n---\n[y==0 x:=1]";

TEST(HistoryCheck, RegistersFailAtTheWeakestLevel) {
    const Checked skew(write_skew);
    EXPECT_EQ(skew.findings.verdict, Verdict::violation);
    EXPECT_TRUE(skew.findings.violated.has(Model::serializable));
    EXPECT_FALSE(skew.findings.violated.has(Model::snapshot_isolation));
    const Checked allowed(write_skew, {ModelSet{Model::snapshot_isolation}, false});
    EXPECT_EQ(allowed.findings.verdict, Verdict::clean);
}

TEST(HistoryCheck, WhatIsNotDecidedIsUnknown) {
    const Checked asked(write_skew, {ModelSet{Model::cursor_stability}, false});
    EXPECT_EQ(asked.findings.verdict, Verdict::unknown);
    ASSERT_EQ(asked.findings.doubts.size(), 1U);
}

TEST(HistoryCheck, ListsGoThroughTheEngine) {
    const std::string_view lists =
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:append :y 1]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:append :x 2] [:r :y nil]]}\n"
        "{:type :ok, :process 2, :f :txn, :value [[:r :x [1 2]] [:r :y [1]]]}\n";
    const Checked skew(lists);
    EXPECT_EQ(skew.findings.verdict, Verdict::violation);
    ASSERT_EQ(skew.findings.anomalies.size(), 1U);
    EXPECT_EQ(elle_name_of(skew.findings.anomalies[0].kind), "G-single-item");
    EXPECT_EQ(skew.findings.statistics.transactions.committed, 3U);
}

TEST(HistoryCheck, AnAppendThatNoListShowsComesLast) {
    const Checked skew(
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:append :y 1]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:append :x 2] [:r :y nil]]}\n"
        "{:type :ok, :process 2, :f :txn, :value [[:r :x [1 2]]]}\n");
    EXPECT_EQ(skew.findings.verdict, Verdict::violation) << "y was empty before its only append";
    const Checked other(
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:append :y 1]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:append :x 2] [:r :y nil]]}\n"
        "{:type :info, :process 3, :f :txn, :value [[:append :y 2]]}\n"
        "{:type :ok, :process 2, :f :txn, :value [[:r :x [1 2]]]}\n");
    EXPECT_EQ(other.findings.verdict, Verdict::violation) << "whether or not 2 came before 1";
}

TEST(HistoryCheck, AnAppendThatNoListShowsIsMissedByItsOwnTransaction) {
    const Checked missed(
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r :x []]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:append :x 2]]}\n");
    ASSERT_EQ(missed.findings.anomalies.size(), 1U);
    EXPECT_EQ(elle_name_of(missed.findings.anomalies[0].kind), "internal");
}

/// A serial history in which most appends are never seen again, told as Elle's.
std::string serial_history(std::mt19937& random) {
    std::array<std::string, 3> lists;
    std::string text;
    for (int t = 0, element = 1; t < 12; ++t) {
        const std::string outcome = random() % 6 == 0 ? "info" : "ok";
        text += "{:type :" + outcome + ", :process " + std::to_string(t) + ", :f :txn, :value [";
        const bool happens = outcome == "ok" || random() % 2 == 0;
        for (auto operations = 1 + random() % 3; operations > 0; --operations) {
            const auto key = random() % lists.size();
            const char name = static_cast<char>('x' + key);
            if (random() % 3 == 0) {
                text += std::string("[:r :") + name + " [" + lists[key] + "]]";
                continue;
            }
            const std::string made = std::to_string(element++);
            text += std::string("[:append :") + name + " " + made + "]";
            lists[key] += happens ? " " + made : "";
        }
        text += "]}\n";
    }
    return text;
}

TEST(HistoryCheck, AppendsThatNoListShowsAccuseNobodyOfASerialHistory) {
    std::mt19937 random(11);
    for (int i = 0; i < 3'000; ++i) {
        const std::string text = serial_history(random);
        EXPECT_EQ(Checked(text, {ModelSet{Model::strict_serializable}, false}).findings.verdict,
                  Verdict::clean)
            << text;
    }
}

TEST(HistoryCheck, AWitnessIsASerialOrder) {
    const CheckOptions options{ModelSet{Model::strong_session_serializable}, true};
    const Checked serial("[x==1]\n---\n[x:=1]", options);
    EXPECT_EQ(serial.findings.serial_order,
              (std::vector{history::TransactionId{2}, history::TransactionId{1}}));
    EXPECT_TRUE(Checked(write_skew, options).findings.serial_order.empty());
}

TEST(Reports, WordsNameTransactionsRowsAndValues) {
    const Checked skew(write_skew);
    std::ostringstream out;
    write_text_report(skew.findings, HistoryNames(skew.read), out);
    const std::string text = out.str();
    EXPECT_NE(text.find("#1 G2-item (write skew): violation"), std::string::npos) << text;
    EXPECT_NE(text.find("T1, session 1, committed: read x = 0; write y = 1"), std::string::npos)
        << text;
    EXPECT_NE(text.find("T1 < T2, because T1 read key x before T2 changed it (nothing)."),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("However T2 < T1, because T2 read key y before T1 changed it"),
              std::string::npos)
        << text;
}

TEST(Reports, JsonHasTheSharedShape) {
    const Checked skew(write_skew);
    const std::string json = json_report(skew.findings, HistoryNames(skew.read));
    for (const char* part :
         {R"("isotap":1)", R"("verdict":"violation")", R"("committed":2)", R"("type":"G2-item")",
          R"("name":"write skew")", R"("severity":"violation")", R"("edge":"rw")", R"("row":"x")",
          R"("version":"T0")", R"("statements":[{"n":1,"sql":"read x = 0"})",
          R"("not":["repeatable-read"])"}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
    }
}

TEST(Reports, DocumentsEscapeWhatTheyQuote) {
    const Checked skew(
        "{:type :ok, :process 0, :f :txn, :value [[:r \"<x>\" nil] [:w \"&y\" 1]]}\n"
        "{:type :ok, :process 1, :f :txn, :value [[:r \"&y\" nil] [:w \"<x>\" 1]]}\n");
    ASSERT_EQ(skew.findings.anomalies.size(), 1U);
    const HistoryNames names(skew.read);
    const std::string html = html_report(skew.findings, names);
    EXPECT_NE(html.find("<svg"), std::string::npos);
    EXPECT_EQ(html.find("<x>"), std::string::npos);
    EXPECT_NE(html.find("&lt;x&gt;"), std::string::npos);
    const std::string dot = dot_of(skew.findings.anomalies[0], names);
    EXPECT_NE(dot.find("\"T1\" -> \"T2\" [label=\"rw \\\"<x>\\\"\""), std::string::npos) << dot;
    const JunitCase one{&skew.findings, "a < b"};
    const std::string junit = junit_report({&one, 1}, Severity::violation);
    EXPECT_NE(junit.find("failures=\"1\""), std::string::npos);
    EXPECT_NE(junit.find("a &lt; b"), std::string::npos);
}

/// One session: write 1, write 2, read 1. In another order nothing would be wrong with it.
TEST(HistoryCheck, WhatOnlyTheOrderOfASessionForbidsDoesNotSpeakAgainstModelsWithoutIt) {
    const auto read = history::read_history_text(
        "{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}\n"
        "{:type :ok, :process 0, :f :txn, :value [[:w :x 2]]}\n"
        "{:type :ok, :process 0, :f :txn, :value [[:r :x 1]]}\n",
        "history");
    ASSERT_TRUE(read);
    CheckOptions options;
    for (const Model model :
         {Model::read_atomic, Model::causal, Model::prefix, Model::snapshot_isolation,
          Model::serializable, Model::strong_session_serializable}) {
        options.asked.add(model);
    }
    const Findings findings = check_history(*read, "history", options);
    for (const Model model : {Model::read_atomic, Model::causal, Model::prefix,
                              Model::strong_session_snapshot_isolation,
                              Model::strong_session_serializable, Model::strict_serializable}) {
        EXPECT_TRUE(findings.violated.has(model)) << to_string(model);
    }
    for (const Model model : {Model::read_committed, Model::snapshot_isolation,
                              Model::repeatable_read, Model::serializable}) {
        EXPECT_FALSE(findings.violated.has(model)) << to_string(model);
    }
}

}  // namespace
}  // namespace isotap::analysis
