#include "tests/integration/truth/comparison.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <tuple>

#include <gtest/gtest.h>

#include "isotap/analysis/engine.hpp"

#include "analysis/anomalies/built_in_contracts.hpp"
#include "analysis/history/recording/recording_reader.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/process.hpp"

namespace isotap::test {

using history::AccessKind;
using history::Coverage;
using history::RowKey;
using history::TransactionId;
using history::VersionKind;

namespace {

std::size_t statements_of(const std::vector<WorkerLog>& said) {
    std::size_t statements = 0;
    for (const WorkerLog& log : said) {
        statements += log.statements.size();
    }
    return statements;
}

/// What a person would be told of them.
std::string report_of(const std::string& file) {
    return run({.arguments = {isotap_program().string(), "check", file}}).output;
}

}  // namespace

std::size_t statements_wanted() {
    const char* asked = std::getenv("ISOTAP_TRUTH_STATEMENTS");
    return asked == nullptr ? 3'000 : std::strtoul(asked, nullptr, 10);
}

std::string in_words(std::string key) {
    std::replace(key.begin(), key.end(), '\0', ',');
    return key;
}

void Comparison::writes_of(TransactionId id, const std::vector<TrueWrite>& truth) {
    known_[id] = true;
    const RecordedTransaction& transaction = recorded_.transactions.at(id);
    EXPECT_TRUE(transaction.committed || is_in_doubt(transaction));
    const auto writes = transaction.lasting_writes();
    ASSERT_EQ(writes.size(), truth.size())
        << "in transaction " << static_cast<std::uint64_t>(id) << " with "
        << (truth.empty() ? "" : truth.front().table + " " + in_words(truth.front().key));
    for (std::size_t i = 0; i < writes.size(); ++i) {
        compare(truth[i], writes[i]);
    }
}

void Comparison::compare(const TrueWrite& truth, const RecordedTransaction::Write& write) {
    const RecordedStatement& statement = *write.statement;
    const RecordedAccess& access = *write.access;
    const std::string where =
        statement.text + ": " + truth.table + " (" + in_words(truth.key) + ")";
    ASSERT_EQ(std::tuple(access.table, access.row, access.kind),
              std::tuple(truth.table, truth.row, truth.kind))
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

void Comparison::nothing_invented() const {
    for (const auto& [id, transaction] : recorded_.transactions) {
        EXPECT_TRUE(!transaction.committed || known_.contains(id) ||
                    transaction.lasting_writes().empty())
            << "transaction " << static_cast<std::uint64_t>(id) << " is invented";
        EXPECT_TRUE(!transaction.incomplete || is_in_doubt(transaction));
    }
}

void Comparison::reads() {
    for (std::size_t worker = 0; worker < said_.size(); ++worker) {
        const auto& statements = recorded_.sessions.at("worker-" + std::to_string(worker));
        ASSERT_EQ(statements.size(), said_[worker].statements.size());
        for (std::size_t i = 0; i < statements.size(); ++i) {
            reads_of(recorded_.statement(statements[i]), said_[worker].statements[i]);
        }
    }
}

void Comparison::reads_of(const RecordedStatement& statement, const SaidStatement& said) {
    EXPECT_EQ(statement.outcome == history::StatementOutcome::completed, said.completed)
        << statement.text;
    if (said.seen.empty()) {
        return;
    }
    if (statement.coverage == Coverage::opaque && may_be_untold(statement)) {
        EXPECT_TRUE(statement.accesses.empty()) << statement.text;
        reads_untold += said.seen.size();
        return;
    }
    EXPECT_EQ(statement.coverage, Coverage::full) << statement.text << ": " << statement.reason;
    ASSERT_EQ(statement.accesses.size(), said.seen.size()) << statement.text;
    std::vector<RecordedAccess> left = statement.accesses;
    std::vector<SeenRow> nameless;
    const auto take = [&](const SeenRow& seen, const std::optional<RowKey>& row) {
        const auto found = std::find_if(left.begin(), left.end(), [&](const RecordedAccess& one) {
            return one.table == seen.table && (!row || one.row == *row);
        });
        const std::string where = statement.text + ": " + in_words(seen.key);
        ASSERT_NE(found, left.end()) << where;
        expect_version(*found, seen.stamp, where);
        left.erase(found);
        ++read;
    };
    for (const SeenRow& seen : said.seen) {
        if (const std::optional<RowKey> row = row_of(seen)) {
            take(seen, row);
        } else {
            nameless.push_back(seen);
        }
    }
    for (const SeenRow& seen : nameless) {
        take(seen, std::nullopt);
    }
}

history::StatementRef Comparison::statement_of(std::int64_t stamp) const {
    const Stamp from = Stamp::from(stamp);
    return recorded_.sessions.at("worker-" + std::to_string(from.worker)).at(from.statement);
}

std::map<std::string, std::size_t> errors_of(const std::vector<WorkerLog>& said) {
    std::map<std::string, std::size_t> errors;
    for (const WorkerLog& log : said) {
        for (const auto& [name, count] : log.errors) {
            errors[name] += count;
        }
    }
    return errors;
}

void expect_no_false_alarm(const std::string& file, const std::string& engine_name) {
    auto recording = history::recording::Recording::open(file);
    ASSERT_TRUE(recording);
    analysis::EngineOptions options;
    options.contract = analysis::built_in_contract(engine_name);
    ASSERT_NE(options.contract, nullptr);
    analysis::Engine engine(options);
    ASSERT_FALSE(recording->replay(engine));
    engine.finish();
    const analysis::Statistics& found = engine.statistics();
    EXPECT_EQ(found.violations, 0U) << report_of(file);
    EXPECT_TRUE(found.hazards > 0 || found.coverage.statements < long_run)
        << "so many conflicts, and no anomaly at weak levels?";
    std::cout << found.edges << " edges, " << found.hazards << " hazards; " << found.coverage.full
              << " statements full, " << found.coverage.partial << " partial, "
              << found.coverage.opaque << " opaque\n";
}

void expect_much(const Comparison& comparison, const std::vector<WorkerLog>& said,
                 const std::vector<std::string>& provoked) {
    const std::size_t statements = statements_of(said);
    const std::map<std::string, std::size_t> errors = errors_of(said);
    for (const std::string& one : provoked) {
        // Some are rare: a short run may see none.
        EXPECT_TRUE(errors.contains(one) || statements < long_run) << one;
    }
    EXPECT_GT(comparison.written, statements / 10);
    EXPECT_GT(comparison.read, statements / 10);
    std::cout << statements << " statements: " << comparison.written << " writes and "
              << comparison.read << " reads compared, " << comparison.not_told
              << " overwritten versions not told, nor " << comparison.reads_untold
              << " reads of statements that are not captured\n";
    for (const auto& [name, count] : errors) {
        std::cout << name << ": " << count << '\n';
    }
}

}  // namespace isotap::test
