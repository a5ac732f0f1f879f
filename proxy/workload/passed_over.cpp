#include "proxy/workload/passed_over.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace isotap::proxy {
namespace {

using history::IsolationLevel;
using history::TransactionId;
using workload::FoundAnomaly;

bool is_weak(IsolationLevel level) {
    return level != IsolationLevel::unknown && level != IsolationLevel::serializable;
}

bool are_named_together(std::span<const analysis::Anomaly> found, TransactionId one,
                        TransactionId another) {
    return std::any_of(found.begin(), found.end(), [&](const analysis::Anomaly& anomaly) {
        const auto has = [&](TransactionId id) {
            return std::any_of(anomaly.transactions.begin(), anomaly.transactions.end(),
                               [&](const auto& involved) { return involved.id == id; });
        };
        return has(one) && has(another);
    });
}

/// Of one run.
class PassedOver {
  public:
    PassedOver(const RunDigest& digest, history::Dialect dialect)
        : digest_(digest), changes_(digest.changes()), dialect_(dialect) {}

    /// The change was there, not yet committed, when the write went out, and was committed first.
    [[nodiscard]] bool holds(const ConditionRead& read, const RowChange& change) const {
        const TransactionFate& passing = digest_.fate(read.statement.transaction);
        const TransactionFate& passed = digest_.fate(change.last.transaction);
        if (!passing.end || passing.end->outcome != history::Outcome::committed || !passed.end ||
            !is_weak(passing.level) || !is_weak(passed.level)) {
            return false;
        }
        const Time looked = digest_.sent(read.statement).at;
        return digest_.sent(change.last).at < looked && looked < passed.end->requested &&
               passed.end->at <= passing.end->requested && nobody_else_changed(change) &&
               !digest_.touched(read.statement, change.table, change.row);
    }

    [[nodiscard]] FoundAnomaly told(const ConditionRead& read, const RowChange& change) const {
        FoundAnomaly anomaly;
        anomaly.name = workload::against_commits;
        anomaly.plain = "update passed over";
        anomaly.severity = "hazard";
        anomaly.explanation.emplace_back("T2 < T1 by their commits: T2 committed first.");
        anomaly.explanation.push_back(
            fmt::format("However T1 < T2, because T1's '{}' passed over what T2's '{}' had made of "
                        "a row, which met the condition but was not committed yet.",
                        digest_.sent(read.statement).text, digest_.sent(change.last).text));
        anomaly.explanation.emplace_back(
            "The order T1, T2 explains what both did: only the order of the commits is "
            "contradicted, in which the rows would end up otherwise.");
        anomaly.remedies.emplace_back(
            dialect_ == history::Dialect::mysql
                ? "Run T1 at REPEATABLE READ or above: its search then waits for rows that others "
                  "are writing, as a DELETE does at any level."
                : "Let T1 and T2 take a lock that both know (LOCK TABLE, an advisory lock) before "
                  "they search and write: no level orders transactions by their commits.");
        return anomaly;
    }

  private:
    [[nodiscard]] bool nobody_else_changed(const RowChange& change) const {
        return std::none_of(changes_.begin(), changes_.end(), [&](const RowChange& other) {
            return other.table == change.table && other.row == change.row &&
                   other.last.transaction != change.last.transaction;
        });
    }

    const RunDigest& digest_;
    std::vector<RowChange> changes_;
    history::Dialect dialect_;
};

}  // namespace

std::vector<FoundAnomaly> passed_over(const RunDigest& digest, const ConditionWitness& witness,
                                      history::Dialect dialect,
                                      std::span<const analysis::Anomaly> found) {
    const PassedOver pass(digest, dialect);
    std::set<std::pair<TransactionId, TransactionId>> told;
    std::vector<FoundAnomaly> all;
    for (const ConditionRead& read : digest.reads()) {
        if (read.condition.use != Condition::Use::write) continue;
        for (const ConditionWitness::Judged& one : witness.judge(digest, read)) {
            const TransactionId writer = one.change.last.transaction;
            const TransactionId reader = read.statement.transaction;
            if (one.before || !one.after || !pass.holds(read, one.change) ||
                are_named_together(found, reader, writer) || !told.emplace(reader, writer).second) {
                continue;
            }
            all.push_back(pass.told(read, one.change));
        }
    }
    return all;
}

}  // namespace isotap::proxy
