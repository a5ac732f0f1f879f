#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap {
namespace {

using history::Format;
using test::read;

TEST(ElleReader, PairsInvocationsWithCompletions) {
    const auto result = history::read_history_text(
        "{:index 2, :time 4001, :type :invoke, :process 3, :f :txn, :value [[:append 255 8] [:r "
        "253 "
        "nil]]}\n"
        "{:index 3, :time 5120, :type :ok, :process 3, :f :txn, :value [[:append 255 8] [:r 253 [1 "
        "3 4]]]}\n",
        "file");
    ASSERT_FALSE(result.has_error());
    EXPECT_EQ(result->format, Format::elle_append);
    EXPECT_EQ(test::tell(result->history), "0: a 255 8, r 253 [1 3 4]\n");
    EXPECT_EQ(result->history.transactions[0].label, 2U);
    EXPECT_EQ(result->history.transactions[0].began, 1);
    EXPECT_EQ(result->history.transactions[0].ended, 2);
}

TEST(ElleReader, ReadsOneVectorTaggedOperationsAndAnyOrderOfFields) {
    EXPECT_EQ(read("[#jepsen.history.Op{:value [[:append :x 1]], :process 0, :type :ok, :f :txn}\n"
                   " {:value [[:r :x [1]]] :f :txn :process 1 :type :ok}]"),
              "0: a :x 1\n1: r :x [1]\n");
}

TEST(ElleReader, CompletionsNeedNoInvocationAndThenBeganAtAnyTime) {
    const auto result =
        history::read_history_text("{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}", "file");
    ASSERT_FALSE(result.has_error());
    EXPECT_EQ(result->history.transactions[0].began, history::beginning_of_time);
}

TEST(ElleReader, OnlyCertainTransactionsHaveReads) {
    EXPECT_EQ(read("{:type :fail, :process 0, :f :txn, :value [[:append :x 1] [:r :x [9]]]}\n"
                   "{:type :invoke, :process 1, :f :txn, :value [[:append :x 2] [:r :x nil]]}\n"
                   "{:type :info, :process 1, :f :txn, :value :timeout}\n"
                   "{:type :invoke, :process 2, :f :txn, :value [[:append :x 3]]}\n"),
              "0! a :x 1\n1? a :x 2\n2? a :x 3\n")
        << "the last one never completed";
}

TEST(ElleReader, OverlappingInvocationsOfOneProcessCompleteInTheirOrder) {
    EXPECT_EQ(read("{:type :invoke, :process 0, :f :txn, :value [[:append :x 1]]}\n"
                   "{:type :invoke, :process 0, :f :txn, :value [[:append :x 2]]}\n"
                   "{:type :ok, :process 0, :f :txn, :value [[:append :x 1]]}\n"
                   "{:type :info, :process 0, :f :txn, :error :gone}\n"),
              "0: a :x 1\n0? a :x 2\n");
}

TEST(ElleReader, LeavesTheNemesisAndOtherFunctionsOut) {
    EXPECT_EQ(read("{:type :info, :process :nemesis, :f :start, :value [:partition {:a 1}]}\n"
                   "{:type :ok, :process 0, :f :read, :value 5}\n"
                   "{:type :ok, :process 0, :f :txn, :value [[:w 1 2]]}\n"),
              "0: w 1 2\n");
}

TEST(ElleReader, NilAndTheEmptyListAreTheInitialState) {
    EXPECT_EQ(read("{:type :ok, :process 0, :f :txn, :value [[:r :x nil] [:r :y []] "
                   "[:append :x 1]]}"),
              "0: r :x nil, r :y nil, a :x 1\n");
}

TEST(ElleReader, KeysMayBeOfAnyType) {
    EXPECT_EQ(
        read("{:type :ok, :process 0, :f :txn, :value [[:w \"a b\" 1] [:w [1,  2] 1] [:w nil 1]"
             " [:w 1.5 1] [:r [1 2] 1]]}"),
        "0: w \"a b\" 1, w [1 2] 1, w nil 1, w 1.5 1, r [1 2] 1\n");
}

TEST(ElleReader, ReadsPredicates) {
    const auto result = history::read_history_text(
        "{:process 0, :type :ok, :f :init, :value {:x 1}}\n"
        "{:process 0, :type :ok, :f :txn, :value [[:insert :y 2] [:delete :x] [:w :y 3] [:r :x nil]"
        " [:rp :true {}] [:rp [:= 3] {:y 3}] [:rp [:mod 2 1] {:y 3}]]}\n",
        "file");
    ASSERT_FALSE(result.has_error()) << result.error().message();
    EXPECT_EQ(result->format, Format::elle_predicate);
    EXPECT_EQ(test::tell(result->history),
              "0: i :x 1\n"
              "0: i :y 2, d :x, w :y 3, r :x nil, p 0, p 1, p 2\n");
    EXPECT_EQ(result->history.predicate_reads[2].operand, 2);
    EXPECT_EQ(result->history.predicate_reads[2].operand2, 1);
    EXPECT_EQ(result->history.predicate_reads[1].matched.size(), 1U);
}

TEST(ElleReader, ReadsElleCliJson) {
    EXPECT_EQ(read(
                  R"([{"index":3,"process":1,"type":"ok",
                       "value":[["append",255,8],["r",253,[1,3,4]]]}])"),
              "0: a 255 8, r 253 [1 3 4]\n");
    EXPECT_EQ(read(
                  R"([{"index":3,"process":1,"type":"ok","f":"txn",
                       "value":[["w","k",8],["r","k",null]]}])"),
              "0: w \"k\" 8, r \"k\" nil\n");
}

TEST(ElleReader, ErrorsNameTheLineAndWhatWasExpected) {
    EXPECT_EQ(read("{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}\n"
                   "{:type :done, :process 0, :f :txn, :value []}\n"),
              "file:2: malformed input: expected a type: invoke, ok, fail or info");
    EXPECT_EQ(read("{:type :ok, :process 0, :f :txn, :value [[:cas :x 1]]}"),
              "file:1: malformed input: expected an operation: r, w, append, insert, delete or rp");
    EXPECT_EQ(read("{:type :ok, :process 0, :f :txn, :value [[:w :x"),
              "file:1: truncated input: expected one more form");
    EXPECT_EQ(read("{:type :info, :process 0,\n :value [[:w :x 1] [:what]], :f :txn}"),
              "file:2: malformed input: expected an operation: r, w, append, insert, delete or rp");
    EXPECT_EQ(read("{:type :ok, :process 0, :f :txn, :value [[:w :x 1] [:append :x 2]]}"),
              "file:1: malformed input: expected one kind of history: this one mixes appends to "
              "lists with registers");
}

TEST(ElleReader, EveryTruncationIsAnErrorOrAShorterHistory) {
    const std::string whole =
        "{:type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:r :y nil]]}\n"
        "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r :y [1 2 \"a\"]]]}\n";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto result =
            history::read_history_text(whole.substr(0, size), "file", Format::elle_append);
        if (result) {
            EXPECT_LE(result->history.transactions.size(), 1U);
        } else {
            EXPECT_EQ(result.error().kind, history::ReadErrorKind::truncated)
                << size << ": " << result.error().message();
        }
    }
}

TEST(ElleReader, TheSameValueTwiceIsMalformedInputNotAnAnomaly) {
    EXPECT_EQ(
        read("{:type :ok, :process 0, :f :txn, :value [[:w :x 1]]}\n"
             "{:type :fail, :process 1, :f :txn, :value [[:w :x 1]]}\n"),
        "file: duplicate writer (malformed input, no anomaly): key :x gets the value 1 twice, "
        "by transaction 1 of session 0 and by transaction 2 of session 1: values must be "
        "unique per key");
}

}  // namespace
}  // namespace isotap
