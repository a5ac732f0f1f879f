// What isotap records of a workload is what the server itself knows: who wrote which row over which
// version, by the write-ahead log; and who read which version, by what clients were shown.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "analysis/anomalies/built_in_contracts.hpp"
#include "analysis/history/recording/recording_reader.hpp"
#include "protocol/postgres/instrument/row_key.hpp"
#include "tests/integration/truth/logical_decoding.hpp"
#include "tests/integration/truth/recorded_history.hpp"
#include "tests/integration/truth/workload.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/postgres_server.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using history::AccessKind;
using history::Coverage;
using history::TransactionId;
using history::VersionKind;
using postgres::instrument::row_key_of;

/// ISOTAP_TRUTH_STATEMENTS asks for more of them.
std::size_t statements_wanted() {
    const char* asked = std::getenv("ISOTAP_TRUTH_STATEMENTS");
    return asked == nullptr ? 3'000 : std::strtoul(asked, nullptr, 10);
}

/// Enough statements to have seen everything that may happen.
constexpr std::size_t long_run = 20'000;

std::string in_words(std::string key) {
    std::replace(key.begin(), key.end(), '\0', ',');
    return key;
}

/// A changed row as tests speak of it.
struct TrueWrite {
    std::string table;
    std::string key;
    AccessKind kind = AccessKind::insert;
    std::int64_t over = 0;  ///< the stamp that was overwritten
    std::int64_t made = 0;  ///< the new one
};

TrueWrite true_write(const RowChange& change) {
    TrueWrite write{change.table.starts_with("public.part_") ? "public.part" : change.table, {}};
    const bool removed = change.kind == RowChange::Kind::remove;
    const RowChange::Columns& row = removed ? change.before : change.after;
    const std::size_t stamp = change.table == "public.entry" ? 2 : 1;
    write.key = row.at(0).value();
    if (stamp == 2) {
        write.key += '\0' + row.at(1).value();
    }
    if (change.kind != RowChange::Kind::insert) {
        write.kind = removed ? AccessKind::remove : AccessKind::update;
        write.over = std::stoll(change.before.at(stamp).value());
    }
    write.made = removed ? 0 : std::stoll(change.after.at(stamp).value());
    return write;
}

/// Compares, and counts what it has compared.
class Comparison {
  public:
    Comparison(const RecordedHistory& recorded, const std::vector<WorkerLog>& said)
        : recorded_(recorded), said_(said) {}

    void writes(const std::vector<CommittedTransaction>& committed) {
        std::set<TransactionId> known;
        for (const CommittedTransaction& one : committed) {
            const auto id = recorded_.by_server(one.number);
            if (one.changes.empty()) {
                continue;
            }
            ASSERT_TRUE(id) << "transaction " << one.number << " has written and is not recorded";
            known.insert(*id);
            writes_of(one, *id);
        }
        for (const auto& [id, transaction] : recorded_.transactions) {
            EXPECT_TRUE(!transaction.committed || known.contains(id) ||
                        transaction.lasting_writes().empty())
                << "transaction " << static_cast<std::uint64_t>(id) << " is invented";
            EXPECT_FALSE(transaction.incomplete);
        }
    }

    void reads() {
        for (std::size_t worker = 0; worker < said_.size(); ++worker) {
            const auto& statements = recorded_.sessions.at("worker-" + std::to_string(worker));
            ASSERT_EQ(statements.size(), said_[worker].statements.size());
            for (std::size_t i = 0; i < statements.size(); ++i) {
                reads_of(recorded_.statement(statements[i]), said_[worker].statements[i]);
            }
        }
    }

    std::size_t written = 0;
    std::size_t read = 0;
    std::size_t not_told = 0;     ///< what an upsert or a join overwrote before version 18
    std::size_t sub_inserts = 0;  ///< versions of a partition's rows that no number leads to

  private:
    void writes_of(const CommittedTransaction& truth, TransactionId id) {
        const RecordedTransaction& transaction = recorded_.transactions.at(id);
        EXPECT_TRUE(transaction.committed);
        const auto writes = transaction.lasting_writes();
        ASSERT_EQ(writes.size(), truth.changes.size()) << "in transaction " << truth.number;
        for (std::size_t i = 0; i < writes.size(); ++i) {
            compare(true_write(truth.changes[i]), *writes[i].statement, *writes[i].access);
        }
    }

    void compare(const TrueWrite& truth, const RecordedStatement& statement,
                 const RecordedAccess& access) {
        const std::string where =
            statement.text + ": " + truth.table + " (" + in_words(truth.key) + ")";
        ASSERT_EQ(std::tuple(access.table, access.row, access.kind),
                  std::tuple(truth.table, row_key_of(truth.key), truth.kind))
            << where;
        if (truth.kind != AccessKind::remove) {
            EXPECT_EQ(statement.id, statement_of(truth.made)) << where;
        }
        ++written;
        if (truth.kind == AccessKind::insert) {
            EXPECT_EQ(access.before, history::Version::unborn()) << where;
        } else if (access.before.kind == VersionKind::unknown) {
            EXPECT_NE(statement.coverage, Coverage::full) << where;
            ++not_told;
        } else {
            expect_version(access, truth.over, where);
        }
    }

    void reads_of(const RecordedStatement& statement, const SaidStatement& said) {
        EXPECT_EQ(statement.outcome == history::StatementOutcome::completed, said.completed);
        if (said.seen.empty()) {
            return;
        }
        EXPECT_EQ(statement.coverage, Coverage::full) << statement.text << statement.reason;
        ASSERT_EQ(statement.accesses.size(), said.seen.size()) << statement.text;
        std::vector<std::pair<RecordedAccess, bool>> left;
        for (const RecordedAccess& access : statement.accesses) {
            left.emplace_back(access, false);
        }
        for (const SeenRow& row : said.seen) {
            const auto found = std::find_if(left.begin(), left.end(), [&](const auto& one) {
                return !one.second && one.first.table == row.table &&
                       one.first.row == row_key_of(row.key);
            });
            ASSERT_NE(found, left.end()) << statement.text << ": " << in_words(row.key);
            found->second = true;
            expect_version(found->first, row.stamp, statement.text + ": " + in_words(row.key));
            ++read;
        }
    }

    void expect_version(const RecordedAccess& access, std::int64_t stamp,
                        const std::string& where) {
        const auto writer = recorded_.writer_of(access.before);
        if (stamp < 0) {
            EXPECT_EQ(access.before.kind, VersionKind::foreign) << where;
            EXPECT_FALSE(writer) << where;
            return;
        }
        const history::StatementRef made_by = statement_of(stamp);
        if (!writer && access.table == "public.part" &&
            recorded_.statement(made_by).text.starts_with("insert")) {
            ++sub_inserts;
            return;
        }
        EXPECT_EQ(writer, made_by.transaction) << where << " over " << stamp;
    }

    [[nodiscard]] history::StatementRef statement_of(std::int64_t value) const {
        const Stamp stamp = Stamp::from(value);
        return recorded_.sessions.at("worker-" + std::to_string(stamp.worker)).at(stamp.statement);
    }

    const RecordedHistory& recorded_;
    const std::vector<WorkerLog>& said_;
};

/// What a person would be told of them.
std::string report_of(const std::string& file) {
    return run({.arguments = {isotap_program().string(), "check", file}}).output;
}

void expect_no_false_alarm(history::recording::Recording& recording, const std::string& file) {
    analysis::EngineOptions options;
    options.contract = analysis::built_in_contract("postgresql");
    ASSERT_NE(options.contract, nullptr);
    analysis::Engine engine(options);
    ASSERT_FALSE(recording.replay(engine));
    engine.finish();
    const analysis::Statistics& found = engine.statistics();
    EXPECT_EQ(found.violations, 0U) << report_of(file);
    EXPECT_TRUE(found.hazards > 0 || found.coverage.statements < long_run)
        << "so many conflicts, and no anomaly at weak levels?";
    std::cout << found.edges << " edges, " << found.hazards << " hazards; " << found.coverage.full
              << " statements full, " << found.coverage.partial << " partial, "
              << found.coverage.opaque << " opaque\n";
}

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

    Comparison comparison(recorded, said);
    comparison.writes(decoding.read());
    comparison.reads();

    std::size_t statements = 0;
    std::map<std::string, std::size_t> errors;
    for (const WorkerLog& log : said) {
        statements += log.statements.size();
        for (const auto& [state, count] : log.errors) {
            errors[state] += count;
        }
    }
    for (const char* provoked : {"40001", "23505", "22012", "40P01"}) {
        // Deadlocks are rare: a short run may see none.
        EXPECT_TRUE(errors[provoked] > 0 || statements < long_run) << provoked;
    }
    EXPECT_GT(comparison.written, statements / 10);
    EXPECT_GT(comparison.read, statements / 10);
    std::cout << statements << " statements: " << comparison.written << " writes and "
              << comparison.read << " reads compared, " << comparison.not_told
              << " overwritten versions not told, " << comparison.sub_inserts
              << " of rows inserted into partitions within savepoints\n";
    for (const auto& [state, count] : errors) {
        std::cout << state << ": " << count << '\n';
    }
    expect_no_false_alarm(*recording, file);
}

INSTANTIATE_TEST_SUITE_P(Versions, CaptureTruth, testing::Values(12, 15, 18),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
