// What isotap records of a workload is what PostgreSQL itself knows: who wrote which row over which
// version, by the write-ahead log; and who read which version, by what clients were shown.
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "analysis/history/recording/recording_reader.hpp"
#include "protocol/postgres/instrument/row_key.hpp"
#include "tests/integration/truth/comparison.hpp"
#include "tests/integration/truth/logical_decoding.hpp"
#include "tests/integration/truth/workload.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using history::AccessKind;
using history::RowKey;
using history::VersionKind;
using postgres::instrument::row_key_of;

TrueWrite true_write(const RowChange& change) {
    TrueWrite write;
    write.table = change.table.starts_with("public.part_") ? "public.part" : change.table;
    const bool removed = change.kind == RowChange::Kind::remove;
    const RowChange::Columns& row = removed ? change.before : change.after;
    const std::size_t stamp = change.table == "public.entry" ? 2 : 1;
    write.key = row.at(0).value();
    if (stamp == 2) {
        write.key += '\0' + row.at(1).value();
    }
    write.row = row_key_of(write.key);
    if (change.kind != RowChange::Kind::insert) {
        write.kind = removed ? AccessKind::remove : AccessKind::update;
        write.over = std::stoll(change.before.at(stamp).value());
    }
    write.made = removed ? -1 : std::stoll(change.after.at(stamp).value());
    return write;
}

/// Rows are called by their keys, versions by the server's number of the transaction.
class PostgresComparison final : public Comparison {
  public:
    using Comparison::Comparison;

    void writes(const std::vector<CommittedTransaction>& committed) {
        for (const CommittedTransaction& one : committed) {
            if (one.changes.empty()) {
                continue;
            }
            const auto id = recorded().by_server(one.number);
            ASSERT_TRUE(id) << "transaction " << one.number << " has written and is not recorded";
            std::vector<TrueWrite> truth;
            for (const RowChange& change : one.changes) {
                truth.push_back(true_write(change));
            }
            writes_of(*id, truth);
        }
        nothing_invented();
    }

    std::size_t sub_inserts = 0;  ///< versions of a partition's rows that no number leads to

  private:
    [[nodiscard]] std::optional<RowKey> row_of(const SeenRow& row) const override {
        return row_key_of(row.key);
    }

    void expect_version(const RecordedAccess& access, std::int64_t stamp,
                        const std::string& where) override {
        const auto writer = recorded().writer_of(access.before);
        if (stamp < 0) {
            EXPECT_EQ(access.before.kind, VersionKind::foreign) << where;
            EXPECT_FALSE(writer) << where;
            return;
        }
        const history::StatementRef made_by = statement_of(stamp);
        if (!writer && access.table == "public.part" &&
            recorded().statement(made_by).text.starts_with("insert")) {
            ++sub_inserts;
            return;
        }
        EXPECT_EQ(writer, made_by.transaction) << where << " over " << stamp;
    }
};

class CaptureTruth : public testing::TestWithParam<int> {
  protected:
    void SetUp() override {
        if (!postgres_programs(GetParam())) GTEST_SKIP() << "this version cannot be had here";
    }
};

TEST_P(CaptureTruth, IsWhatTheServerKnows) {
    PostgresServer server({.version = GetParam(), .settings = {"deadlock_timeout=20ms"}});
    server.sql(workload_schema);
    LogicalDecoding decoding(server);
    const TemporaryFolder folder;
    const std::string file = folder.path() / "truth.isotap";
    WorkloadOptions options;
    options.statements = statements_wanted() / static_cast<std::size_t>(options.workers);
    std::vector<WorkerLog> said;
    {
        // Every statement is to be captured and kept, however busy the machine is.
        IsotapProcess isotap(server.url(),
                             {"--mode", "instrument", "--record", file, "--record-values", "true",
                              "--on-overload", "block", "--limits.plan-wait", "30s"});
        options.port = isotap.port();
        said = run_workload(options);
        ASSERT_EQ(isotap.stop(), 0);
    }
    auto recording = history::recording::Recording::open(file);
    ASSERT_TRUE(recording);
    RecordedHistory recorded;
    ASSERT_FALSE(recording->replay(recorded));
    EXPECT_EQ(recorded.gaps, 0U);

    PostgresComparison comparison(recorded, said);
    comparison.writes(decoding.read());
    comparison.reads();
    expect_much(comparison, said, {"40001", "23505", "22012", "40P01"});
    std::cout << comparison.sub_inserts
              << " versions of rows inserted into partitions within savepoints\n";
    expect_no_false_alarm(file, "postgresql");
}

INSTANTIATE_TEST_SUITE_P(Versions, CaptureTruth, testing::Values(12, 15, 18),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
