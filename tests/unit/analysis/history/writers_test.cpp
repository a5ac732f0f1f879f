#include "analysis/history/writers.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "tests/unit/analysis/history/told.hpp"

namespace isotap::history {
namespace {

ReadHistory read(std::string_view text) {
    auto result = read_history_text(text, "file");
    EXPECT_FALSE(result.has_error()) << result.error().message();
    return result ? std::move(*result) : ReadHistory{};
}

std::string written(const ReadHistory& history, Format format) {
    std::ostringstream out;
    const auto done = write_history(history, format, out);
    return done ? out.str() : done.error();
}

constexpr std::string_view lists =
    "{:type :invoke, :process 0, :f :txn, :value [[:append :x 1] [:r :y nil]]}\n"
    "{:type :invoke, :process 1, :f :txn, :value [[:append :x 2]]}\n"
    "{:type :ok, :process 1, :f :txn, :value [[:append :x 2] [:r :x [1 2]]]}\n"
    "{:type :ok, :process 0, :f :txn, :value [[:append :x 1] [:r :y nil]]}\n"
    "{:type :fail, :process 0, :f :txn, :value [[:append :x 3]]}\n"
    "{:type :info, :process 0, :f :txn, :value [[:append :x 4]]}\n";

TEST(Writers, ElleAppendComesBackAsItWas) {
    const ReadHistory before = read(lists);
    const ReadHistory after = read(written(before, Format::elle_append));
    EXPECT_EQ(after.format, Format::elle_append);
    EXPECT_EQ(test::tell(after.history), test::tell(before.history));
    ASSERT_EQ(after.history.transactions.size(), before.history.transactions.size());
    EXPECT_LT(after.history.transactions[1].began, after.history.transactions[0].ended)
        << "what overlapped still does";
}

TEST(Writers, RegistersComeBackFromEveryFormatOfRegisters) {
    const ReadHistory before =
        read("w(1,5,0,0)\nr(2,0,0,0)\nr(1,5,1,1)\nw(1,6,0,-1)\nw(2,7,0,2)\n");
    for (const Format format : {Format::elle_register, Format::plume, Format::dbcop_bincode}) {
        const ReadHistory after = read(written(before, format));
        EXPECT_EQ(after.format, format);
        const std::string by_session = format == Format::dbcop_bincode
                                           ? "0: w 1 5, r 2 0\n0! w 1 6\n0: w 2 7\n1: r 1 5\n"
                                           : "0: w 1 5, r 2 0\n1: r 1 5\n0! w 1 6\n0: w 2 7\n";
        EXPECT_EQ(test::tell(after.history), by_session) << to_string(format);
    }
}

TEST(Writers, IndeterminateTransactionsCountWhereTheyWereSeen) {
    const ReadHistory before = read(
        "{:type :info, :process 0, :f :txn, :value [[:w 1 1]]}\n"
        "{:type :info, :process 1, :f :txn, :value [[:w 1 2]]}\n"
        "{:type :ok, :process 2, :f :txn, :value [[:r 1 1]]}\n");
    EXPECT_EQ(written(before, Format::plume), "w(1,1,0,0)\nw(1,2,1,-1)\nr(1,1,2,2)\n");
}

TEST(Writers, WhatAFormatCannotHoldIsRefused) {
    EXPECT_EQ(written(read(lists), Format::plume),
              "plume holds registers, and this history has others");
    EXPECT_EQ(written(read("[x:=1]"), Format::plume),
              "plume holds numbers, and this history has x = 1");
    EXPECT_EQ(written(read("w 1 1\n"), Format::elle_append),
              "elle-append holds appends to lists, and this history has none");
    EXPECT_EQ(written(read("w 1 1\n"), Format::cobra),
              "no history is written as cobra: choose elle-append, elle-register, plume or "
              "dbcop-bincode");
}

}  // namespace
}  // namespace isotap::history
