// What other checkers are given of a recording: nothing that it does not say for sure.
#include "analysis/history/recording/register_history.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/history/recording/recording_writer.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/analysis/history/recording/sample_events.hpp"

namespace isotap::history::recording {
namespace {

using test::account_table;
using test::moment;
using testing::ElementsAre;

constexpr std::uint64_t xid_of_first = 700;

class RegisterHistory : public testing::Test {
  protected:
    void begin(std::uint64_t id) {
        writer_->accept(TransactionBegan{SessionId{id}, TransactionId{id}, moment(0), false});
        writer_->accept(Alias{TransactionId{id}, xid_of_first + id});
    }
    void read(std::uint64_t id, std::uint64_t row, Version seen,
              AccessKind kind = AccessKind::read) {
        access(id, row, kind, seen, {});
    }
    Version write(std::uint64_t id, std::uint64_t row) {
        const StatementRef by{TransactionId{id}, ++statement_};
        access(id, row, AccessKind::update, {}, Version::written_by(by));
        return Version::written_by(by);
    }
    void savepoint(std::uint64_t id, SavepointAction action) {
        writer_->accept(Savepoint{{TransactionId{id}, ++statement_}, action, "s"});
    }
    void commit(std::uint64_t id) {
        writer_->accept(
            TransactionEnded{TransactionId{id}, moment(1), moment(1), Outcome::committed, false});
    }

    /// What each transaction did, in the order of their ends: `w` and `r`, the number of the row in
    /// the order of appearance, and the number of the write whose value it is; 0: of before.
    std::vector<std::string> exported() {
        EXPECT_TRUE(writer_->close()) << writer_->error();
        auto recording = Recording::open(file_);
        EXPECT_TRUE(recording);
        const auto made = as_registers(*recording);
        EXPECT_TRUE(made);
        std::vector<std::string> all;
        for (const Transaction& one : made->history.transactions) {
            std::string text;
            for (std::uint32_t i = 0; i < one.operations; ++i) {
                const Operation& operation = made->history.operations[one.first_operation + i];
                text += text.empty() ? "" : " ";
                text += operation.kind == OperationKind::write ? "w" : "r";
                text += std::to_string(static_cast<std::uint32_t>(operation.key)) + "=";
                text += operation.value == initial_value ? "0" : std::to_string(operation.value);
            }
            all.push_back(text);
        }
        return all;
    }

  private:
    void access(std::uint64_t id, std::uint64_t row, AccessKind kind, Version before,
                Version after) {
        const StatementRef by{TransactionId{id},
                              after.kind == VersionKind::written ? after.statement : ++statement_};
        writer_->accept(Access{by, account_table, RowKey{0, row}, kind, before, after});
    }

    test::TemporaryFolder folder_;
    std::string file_ = (folder_.path() / "shop.isotap").string();
    std::unique_ptr<RecordingWriter> writer_ = *RecordingWriter::create(file_, {}, moment(0));
    std::uint32_t statement_ = 0;
};

TEST_F(RegisterHistory, AVersionOfNobodyInItIsTheFirstOne) {
    begin(1);
    read(1, 5, Version::foreign(3));
    write(1, 5);
    commit(1);
    begin(2);
    read(2, 5, Version::foreign(xid_of_first + 1));
    commit(2);
    EXPECT_THAT(exported(), ElementsAre("r0=0 w0=1", "r0=1"));
}

/// Somebody whom nobody saw has written in between.
TEST_F(RegisterHistory, OfTwoSuchVersionsNeitherIsTold) {
    begin(1);
    read(1, 5, Version::foreign(3));
    read(1, 6, Version::initial());
    commit(1);
    begin(2);
    read(2, 5, Version::foreign(4));
    read(2, 6, Version::initial());
    commit(2);
    EXPECT_THAT(exported(), ElementsAre("r1=0", "r1=0"));
}

/// A statement that was not captured wrote it: it is not of before, and not of anybody's told
/// write.
TEST_F(RegisterHistory, AnUntoldWriteOfSomebodyInItIsLeftOut) {
    begin(1);
    write(1, 5);
    commit(1);
    begin(2);
    commit(2);
    begin(3);
    read(3, 5, Version::foreign(xid_of_first + 2));
    read(3, 5, Version::written_by({TransactionId{2}, 9}));
    commit(3);
    EXPECT_THAT(exported(), ElementsAre("w0=1", "", ""));
}

/// A number of the server is that of a transaction: others see what it wrote last and kept, itself
/// what it has written so far.
TEST_F(RegisterHistory, AServersNumberMeansTheLastWriteThatHolds) {
    const Version of_first = Version::foreign(xid_of_first + 1);
    begin(1);
    write(1, 5);
    read(1, 5, of_first);
    write(1, 5);
    savepoint(1, SavepointAction::set);
    write(1, 5);
    savepoint(1, SavepointAction::roll_back);
    begin(2);
    read(2, 5, of_first);
    commit(2);
    commit(1);
    EXPECT_THAT(exported(), ElementsAre("r0=2", "w0=1 r0=1 w0=2"));
}

TEST_F(RegisterHistory, WhatADoubtfulReadSawIsNotTold) {
    begin(1);
    const Version written = write(1, 5);
    commit(1);
    begin(2);
    read(2, 5, written, AccessKind::doubtful_read);
    commit(2);
    EXPECT_THAT(exported(), ElementsAre("w0=1", ""));
}

}  // namespace
}  // namespace isotap::history::recording
