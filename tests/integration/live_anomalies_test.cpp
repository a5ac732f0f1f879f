// From the wire to the verdict: plain clients behind `isotap proxy --mode instrument`, and what the
// recording of it says.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "analysis/history/recording/recording_reader.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/postgres_wire.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using history::recording::Recording;
using testing::ElementsAre;
using testing::IsEmpty;

/// Two clients of one server behind one proxy, which records.
class LiveAnomalies : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) GTEST_SKIP() << "this version cannot be had here";
        server_ = std::make_unique<PostgresServer>(PostgresOptions{.version = GetParam()});
        // Every statement is to be captured, however busy the machine is.
        isotap_ = std::make_unique<IsotapProcess>(
            server_->url(), std::vector<std::string>{"--mode", "instrument", "--record", file_,
                                                     "--limits.plan-wait", "30s"});
        one_ = connect();
        other_ = connect();
        run(*one_, "create table account (id int primary key, balance int not null)");
        run(*one_, "insert into account select i, 100 from generate_series(1, 4) i");
    }

    static void run(PostgresWire& client, std::string_view sql) {
        for (const Frame& frame : client.query(sql)) {
            ASSERT_NE(frame.type, 'E') << sql << ": " << frame.body;
        }
    }

    /// What a replay of the recording finds, once the proxy has ended.
    std::vector<std::string> found() {
        one_.reset();
        other_.reset();
        EXPECT_EQ(isotap_->stop(), 0);
        auto recording = Recording::open(file_);
        EXPECT_TRUE(recording);
        analysis::Engine engine;
        EXPECT_FALSE(recording->replay(engine));
        engine.finish();
        std::vector<std::string> names;
        for (const analysis::Anomaly& anomaly : engine.anomalies()) {
            names.emplace_back(plain_name(anomaly));
        }
        committed_ = engine.statistics().transactions.committed;
        return names;
    }

    std::unique_ptr<PostgresWire> one_;
    std::unique_ptr<PostgresWire> other_;
    std::uint64_t committed_ = 0;

  private:
    std::unique_ptr<PostgresWire> connect() {
        auto client = std::make_unique<PostgresWire>(Endpoint{.port = isotap_->port()});
        client->start();
        return client;
    }

    TemporaryFolder folder_;
    std::string file_ = folder_.path() / "live.isotap";
    std::unique_ptr<PostgresServer> server_;
    std::unique_ptr<IsotapProcess> isotap_;
};

TEST_P(LiveAnomalies, LostUpdateAtReadCommitted) {
    run(*one_, "begin");
    run(*other_, "begin");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "select balance from account where id = 1");
    run(*one_, "update account set balance = 90 where id = 1");
    run(*one_, "commit");
    run(*other_, "update account set balance = 80 where id = 1");
    run(*other_, "commit");
    EXPECT_THAT(found(), ElementsAre("lost update"));
}

TEST_P(LiveAnomalies, WriteSkewAtRepeatableRead) {
    for (PostgresWire* client : {one_.get(), other_.get()}) {
        run(*client, "begin isolation level repeatable read");
        run(*client, "select sum(balance) from account where id in (1, 2)");
    }
    run(*one_, "update account set balance = balance - 150 where id = 1");
    run(*other_, "update account set balance = balance - 150 where id = 2");
    run(*one_, "commit");
    run(*other_, "commit");
    EXPECT_THAT(found(), ElementsAre("write skew"));
}

/// Who read a row, or wrote one, comes before who empties the table.
TEST_P(LiveAnomalies, TruncateTakesWhatWasNotThereWhenItWasDecided) {
    run(*one_, "create table job (id int primary key)");
    run(*one_, "insert into job values (1)");
    run(*one_, "begin");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "begin");
    run(*other_, "insert into job values (2)");
    run(*other_, "update account set balance = 1 where id = 1");
    run(*other_, "commit");
    run(*one_, "truncate job");
    run(*one_, "commit");
    EXPECT_THAT(found(), ElementsAre("read-write skew"));
}

TEST_P(LiveAnomalies, TruncateWaitsForReaders) {
    run(*one_, "create table job (id int primary key)");
    run(*one_, "insert into job values (1)");
    run(*one_, "begin");
    run(*one_, "select balance from account where id = 1");
    run(*other_, "begin");
    run(*other_, "select * from job");
    run(*other_, "update account set balance = 1 where id = 1");
    one_->send(query_message("truncate job"));
    run(*other_, "commit");
    for (const Frame& frame : one_->read_until('Z')) {
        EXPECT_NE(frame.type, 'E') << frame.body;
    }
    run(*one_, "commit");
    EXPECT_THAT(found(), ElementsAre("write skew"));
}

TEST_P(LiveAnomalies, NoneWhereTruncateIsUndoneOrComesLater) {
    run(*one_, "create table job (id int primary key)");
    for (const char* level : {"read committed", "repeatable read", "serializable"}) {
        const std::string begin = std::string("begin isolation level ") + level;
        run(*one_, "insert into job values (1)");
        run(*one_, begin);
        run(*one_, "select balance from account where id = 1");
        run(*other_, begin);
        run(*other_, "insert into job values (2)");
        run(*other_, "update account set balance = 1 where id = 2");
        run(*other_, "commit");
        run(*one_, "savepoint s");
        run(*one_, "truncate job");
        run(*one_, "rollback to s");
        run(*one_, "commit");
        run(*other_, begin);
        run(*other_, "select balance from account where id = 3");
        run(*one_, "truncate job");
        run(*other_, "select * from job");
        run(*other_, "commit");
    }
    EXPECT_THAT(found(), IsEmpty());
}

/// A cursor does not see what its own transaction writes behind it, nor does a portal that is run
/// in pieces.
TEST_P(LiveAnomalies, NoneInWhatACursorShowsLate) {
    run(*other_, "update account set balance = 5 where id in (1, 2)");
    for (const char* level : {"read committed", "repeatable read", "serializable"}) {
        run(*one_, std::string("begin isolation level ") + level);
        run(*one_, "declare c cursor for select * from account where id < 3 order by id");
        run(*one_, "update account set balance = balance + 1 where id < 3");
        run(*one_, "fetch 2 from c");
        run(*one_, "commit");
        run(*one_, std::string("begin isolation level ") + level);
        const std::string piece = MessageWriter().c_string("p").be32(1).framed('E');
        one_->send(MessageWriter()
                       .c_string("")
                       .c_string("select * from account where id < 3 order by id")
                       .be16(0)
                       .framed('P') +
                   MessageWriter().c_string("p").c_string("").be16(0).be16(0).be16(0).framed('B') +
                   piece + MessageWriter().framed('S'));
        one_->read_until('Z');
        run(*one_, "update account set balance = balance + 1 where id < 3");
        one_->send(piece + MessageWriter().framed('S'));
        EXPECT_EQ(one_->read_until('Z').front().type, 'D');
        run(*one_, "commit");
    }
    EXPECT_THAT(found(), IsEmpty());
}

TEST_P(LiveAnomalies, NoneWhereOneComesAfterTheOther) {
    for (int round = 0; round < 10; ++round) {
        for (PostgresWire* client : {one_.get(), other_.get()}) {
            run(*client, "begin");
            run(*client, "select balance from account where id = 3");
            run(*client, "update account set balance = balance - 1 where id = 3");
            run(*client, "commit");
        }
    }
    EXPECT_THAT(found(), IsEmpty());
    EXPECT_EQ(committed_, 22U);
}

INSTANTIATE_TEST_SUITE_P(Versions, LiveAnomalies, testing::Values(12, 15, 18),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
