// What isotap records of a workload is what a server of the MySQL family itself knows: who wrote
// which row over which version, by the binary log; and who read which version, by what clients were
// shown.
#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "analysis/history/recording/recording_reader.hpp"
#include "protocol/mysql/instrument/row_key.hpp"
#include "tests/integration/truth/binary_log.hpp"
#include "tests/integration/truth/comparison.hpp"
#include "tests/integration/truth/mysql_workload.hpp"
#include "tests/support/isotap_process.hpp"
#include "tests/support/mysql_server.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace isotap::test {
namespace {

using history::AccessKind;
using history::Coverage;
using history::RowKey;
using history::TransactionId;
using history::Version;
using mysql::instrument::row_key_of;

/// Where the columns of a table are; rowId comes right behind the client's three.
struct Shape {
    std::size_t key_parts = 1;
    std::size_t stamp = 1;
    static constexpr std::size_t row_id = 3;

    static Shape of(const std::string& table) {
        return table == "shop.entry" ? Shape{2, 2} : Shape{};
    }
};

std::string key_of(const std::string& table, const RowChange::Columns& row) {
    std::string key = row.at(0).value();
    return Shape::of(table).key_parts == 1 ? key : key + '\0' + row.at(1).value();
}
std::int64_t stamp_of(const std::string& table, const RowChange::Columns& row) {
    return std::stoll(row.at(Shape::of(table).stamp).value());
}

/// What one change did, as a statement can tell it. REPLACE may be logged as an update that gives
/// the row another name: the one row is gone, and another one is there.
std::vector<TrueWrite> true_writes(const RowChange& change) {
    const std::string& table = change.table;
    TrueWrite removed;
    removed.kind = AccessKind::remove;
    TrueWrite made;
    removed.table = made.table = table;
    if (!change.before.empty()) {
        removed.key = key_of(table, change.before);
        removed.row = row_key_of(change.before.at(Shape::row_id).value());
        removed.over = stamp_of(table, change.before);
    }
    if (change.after.empty()) {
        return {removed};
    }
    made.key = key_of(table, change.after);
    made.row = row_key_of(change.after.at(Shape::row_id).value());
    made.made = stamp_of(table, change.after);
    if (change.before.empty()) {
        return {made};
    }
    if (made.row != removed.row) {
        removed.made = made.made;
        return {removed, made};
    }
    made.kind = AccessKind::update;
    made.over = removed.over;
    return {made};
}

/// One version of a row, named by what clients see of it.
using Seen = std::tuple<std::string, std::string, std::int64_t>;

/// Rows are called by rowId, versions by the statement that made them. What isotap says it does not
/// capture, it does not tell: versions then are those of before.
class MysqlComparison final : public Comparison {
  public:
    /// `first` are the rows of before the workload.
    MysqlComparison(const RecordedHistory& recorded, const std::vector<WorkerLog>& said,
                    std::map<Seen, RowKey> first)
        : Comparison(recorded, said), names_(std::move(first)) {
        for (const auto& [id, transaction] : recorded.transactions) {
            if (!transaction.committed && !is_in_doubt(transaction)) continue;
            for (const auto& write : transaction.lasting_writes()) {
                if (write.access->kind != AccessKind::remove) continue;
                const auto [at, first_one] =
                    removers_.try_emplace({write.access->row.high, write.access->row.low}, id);
                if (!first_one && transaction.committed) at->second = id;
            }
        }
    }

    void writes_of(const CommittedTransaction& truth) {
        std::vector<TrueWrite> all;
        for (const RowChange& change : truth.changes) {
            const auto some = true_writes(change);
            all.insert(all.end(), some.begin(), some.end());
        }
        const std::optional<TransactionId> id = writer_of(all);
        ASSERT_TRUE(id) << all.front().table << " (" << in_words(all.front().key)
                        << ") was removed by nobody";
        std::vector<TrueWrite> told;
        for (const TrueWrite& write : all) {
            if (write.kind != AccessKind::remove) {
                names_[{write.table, write.key, write.made}] = write.row;
            }
            if (write.made >= 0) lasting_.insert(write.made);
            if (is_told(write)) {
                // Nobody has seen what the same statement wrote over again.
                if (write.over < 0 || write.over != write.made) told.push_back(write);
            } else if (++hidden; write.kind == AccessKind::update) {
                behind_[{write.row.high, write.row.low, write.made}] = write.over;
            }
        }
        Comparison::writes_of(*id, told);
    }

    std::size_t hidden = 0;     ///< writes of statements that are not captured
    std::size_t uncertain = 0;  ///< versions that such a statement made and that were taken back

  private:
    /// The log does not say which session a transaction was of: stamps do, or a row that can be
    /// removed only once.
    [[nodiscard]] std::optional<TransactionId> writer_of(const std::vector<TrueWrite>& all) const {
        for (const TrueWrite& write : all) {
            if (write.made >= 0) return statement_of(write.made).transaction;
        }
        const auto found = removers_.find({all.front().row.high, all.front().row.low});
        return found == removers_.end() ? std::nullopt : std::optional(found->second);
    }

    [[nodiscard]] std::optional<RowKey> row_of(const SeenRow& row) const override {
        const auto found = names_.find({row.table, row.key, row.stamp});
        return found == names_.end() ? std::nullopt : std::optional(found->second);
    }

    void expect_version(const RecordedAccess& access, std::int64_t stamp,
                        const std::string& where) override {
        const bool taken_back = stamp >= 0 && !is_captured(stamp) && !is_committed(stamp);
        if (taken_back) {
            ++uncertain;
            return;
        }
        EXPECT_EQ(access.before, version_of(access.row, stamp)) << where << " over " << stamp;
    }

    /// What a row says of who wrote it.
    [[nodiscard]] Version version_of(const RowKey& row, std::int64_t stamp) const {
        while (stamp >= 0) {
            if (is_captured(stamp)) {
                return Version::written_by(statement_of(stamp));
            }
            const auto over = behind_.find({row.high, row.low, stamp});
            stamp = over == behind_.end() ? -1 : over->second;
        }
        return Version::initial();
    }

    /// A lock wait that takes too long undoes more than the statement where a setting wants it, and
    /// a row that has changed since the snapshot does so from some version on.
    [[nodiscard]] bool is_in_doubt(const RecordedTransaction& transaction) const override {
        return transaction.indeterminate &&
               std::any_of(transaction.statements.begin(), transaction.statements.end(),
                           [](const auto& one) {
                               return one.error == 1205 || one.error == 1020 || one.error == 1467;
                           });
    }

    /// A result that does not show its rows is asked for in a snapshot, and tells itself where that
    /// is short, at other levels than SERIALIZABLE and as a text.
    [[nodiscard]] bool may_be_untold(const RecordedStatement& statement) const override {
        return statement.reason == "DISTINCT" || statement.reason == "GROUP BY";
    }

    /// Nothing tells which rows MariaDB's REPLACE removes for those that it makes.
    [[nodiscard]] bool is_told(const TrueWrite& write) const {
        if (write.made < 0) return true;
        const RecordedStatement& by = recorded().statement(statement_of(write.made));
        return by.coverage != Coverage::opaque &&
               !(write.kind == AccessKind::remove && by.reason == "rows that REPLACE removes");
    }

    [[nodiscard]] bool is_captured(std::int64_t stamp) const {
        return recorded().statement(statement_of(stamp)).coverage != Coverage::opaque;
    }
    [[nodiscard]] bool is_committed(std::int64_t stamp) const { return lasting_.contains(stamp); }

    std::map<Seen, RowKey> names_;
    std::set<std::int64_t> lasting_;  ///< stamps that were committed
    /// What a write that was not captured stands on: by row and stamp.
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::int64_t>, std::int64_t> behind_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, TransactionId> removers_;
};

/// How many statements are not captured in full, by reason.
std::map<std::string, std::size_t> reasons_of(const RecordedHistory& recorded, Coverage coverage) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& [id, transaction] : recorded.transactions) {
        for (const RecordedStatement& statement : transaction.statements) {
            if (statement.coverage == coverage) ++reasons[statement.reason];
        }
    }
    return reasons;
}

/// Statements that merge rows and told of them: by a question behind them, or in their result.
struct Merged {
    std::size_t by_question = 0;
    std::size_t by_result = 0;
};
Merged merged_and_told(const RecordedHistory& recorded) {
    Merged found;
    for (const auto& [id, transaction] : recorded.transactions) {
        const bool snapshot = transaction.level == history::IsolationLevel::repeatable_read &&
                              transaction.statements.size() > 1;
        for (const RecordedStatement& statement : transaction.statements) {
            const bool merges = statement.text.find("distinct") != std::string::npos ||
                                statement.text.find("group by") != std::string::npos;
            if (merges && statement.coverage == Coverage::full) {
                ++(snapshot ? found.by_question : found.by_result);
                EXPECT_NE(transaction.level, history::IsolationLevel::serializable);
            }
        }
    }
    return found;
}

/// What docs say is not captured, or in part.
bool is_known(const std::string& reason, MysqlFlavour flavour) {
    static const std::set<std::string> mariadb{"rows that REPLACE removes",
                                               "rows that IGNORE skips",
                                               "several tables",
                                               "insert id of several rows",
                                               "insert from select",
                                               "subquery",
                                               "do",
                                               "DISTINCT",
                                               "GROUP BY"};
    static const std::set<std::string> mysql{
        "rows that IGNORE skips", "joined rows", "insert from select", "subquery",
        "derived table",          "do",          "DISTINCT",           "GROUP BY"};
    return (flavour == MysqlFlavour::mysql ? mysql : mariadb).contains(reason);
}

std::map<Seen, RowKey> rows_of(const MysqlServer& server) {
    std::istringstream rows(
        server.sql("use shop; select 'shop.account', id, isotap_rowid from account union all "
                   "select 'shop.entry', concat(account, ',', tag), isotap_rowid from entry "
                   "union all select 'shop.tally', id, isotap_rowid from tally"));
    std::map<Seen, RowKey> names;
    std::string table;
    std::string key;
    std::string row_id;
    while (rows >> table >> key >> row_id) {
        std::replace(key.begin(), key.end(), ',', '\0');
        names[{table, key, -1}] = row_key_of(row_id);
    }
    return names;
}

class MysqlCaptureTruth : public testing::TestWithParam<MysqlFlavour> {
  protected:
    void SetUp() override {
        if (!mysql_available(GetParam())) GTEST_SKIP() << "no such server here";
    }
};

TEST_P(MysqlCaptureTruth, IsWhatTheServerKnows) {
    auto settings = BinaryLog::settings();
    settings.emplace_back("innodb-lock-wait-timeout=1");
    const MysqlServer server({.flavour = GetParam(), .settings = settings});
    WorkloadOptions options;
    options.statements = statements_wanted() / static_cast<std::size_t>(options.workers);
    server.sql(mysql_workload_schema(options.workers));
    run_or_throw({.arguments = {isotap_program(), "schema", "add", server.url()}});
    const auto first = rows_of(server);
    const BinaryLog log(server);
    const TemporaryFolder folder;
    const std::string file = folder.path() / "truth.isotap";
    std::vector<WorkerLog> said;
    {
        // Every statement is to be captured and kept, however busy the machine is.
        IsotapProcess isotap(server.url(),
                             {"--mode", "instrument", "--record", file, "--record-values", "true",
                              "--on-overload", "block", "--limits.plan-wait", "30s"});
        options.port = isotap.port();
        said = run_mysql_workload(options);
        ASSERT_EQ(isotap.stop(), 0);
        EXPECT_EQ(isotap.log().find("fuse"), std::string::npos) << isotap.log();
    }
    auto recording = history::recording::Recording::open(file);
    ASSERT_TRUE(recording);
    RecordedHistory recorded;
    ASSERT_FALSE(recording->replay(recorded));
    EXPECT_EQ(recorded.gaps, 0U);

    MysqlComparison comparison(recorded, said, first);
    log.read([&](const CommittedTransaction& one) { comparison.writes_of(one); });
    comparison.nothing_invented();
    comparison.reads();
    for (const Coverage coverage : {Coverage::opaque, Coverage::partial}) {
        for (const auto& [reason, count] : reasons_of(recorded, coverage)) {
            EXPECT_TRUE(is_known(reason, GetParam())) << reason << ": " << count;
        }
    }
    const Merged told = merged_and_told(recorded);
    EXPECT_GT(told.by_question, 0U);
    EXPECT_GT(told.by_result, 0U);
    expect_much(comparison, said, {"1062", "1205", "1213", "1365"});
    std::cout << comparison.hidden << " writes of statements that are not captured, "
              << comparison.uncertain << " reads of such that were taken back, " << told.by_question
              << " statements that merge rows told by a question, " << told.by_result
              << " by their results\n";
    expect_no_false_alarm(file, GetParam() == MysqlFlavour::mysql ? "mysql" : "mariadb");
}

INSTANTIATE_TEST_SUITE_P(Servers, MysqlCaptureTruth,
                         testing::Values(MysqlFlavour::mariadb, MysqlFlavour::mariadb_11,
                                         MysqlFlavour::mysql),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace isotap::test
