#include "analysis/check/history_check.hpp"

#include <chrono>
#include <utility>

#include "analysis/check/list_faults.hpp"
#include "analysis/check/predicate_check.hpp"
#include "analysis/history/history_events.hpp"
#include "analysis/registers/register_checker.hpp"

namespace isotap::analysis {

namespace {

using history::HistoryModel;
using history::Outcome;
using history::ReadHistory;
using Kind = SearchAnswer::Kind;

void check_lists(const ReadHistory& read, const CheckOptions& options, Findings& findings) {
    EngineOptions engine_options;
    engine_options.asked = findings.asked;
    engine_options.real_time_order = needs_real_time(findings.asked) && read.history.has_real_time;
    engine_options.every_writer_known = true;
    // Events of a file come in the order of its moments: no session lags behind.
    engine_options.arrival_skew = std::chrono::nanoseconds{0};
    if (options.witness) {
        engine_options.on_serial_order = [&findings](history::TransactionId id) {
            findings.serial_order.push_back(id);
        };
    }
    Engine engine(std::move(engine_options));
    const history::ListOrder order(read.history, read.writers);
    history::emit_events(read.history, order, engine);
    engine.finish();
    findings.statistics = engine.statistics();
    findings.anomalies = engine.anomalies();
    findings.verdict = engine.verdict();
    for (Anomaly& anomaly : list_faults(read.history, order)) {
        const bool asked = !(anomaly.violates & findings.asked).empty();
        anomaly.severity = asked ? Severity::violation : Severity::hazard;
        anomaly.id = findings.anomalies.size() + 1;
        findings.anomalies.push_back(std::move(anomaly));
    }
    for (const Anomaly& anomaly : findings.anomalies) {
        findings.violated |= anomaly.violates;
        if (anomaly.severity == Severity::violation) {
            findings.verdict = Verdict::violation;
        } else if (findings.verdict == Verdict::clean) {
            findings.verdict = Verdict::hazard;
        }
    }
    if (!findings.anomalies.empty()) {
        findings.serial_order.clear();
    }
    if (findings.verdict == Verdict::unknown) {
        findings.doubts.emplace_back("something of the history was lost or not understood");
    }
}

void count(const history::History& history, Statistics& statistics) {
    for (const history::Transaction& transaction : history.transactions) {
        auto& counts = statistics.transactions;
        ++(transaction.outcome == Outcome::committed ? counts.committed
           : transaction.outcome == Outcome::aborted ? counts.aborted
                                                     : counts.indeterminate);
    }
    statistics.accesses = history.operations.size();
}

void check_registers(const ReadHistory& read, ModelSet models, Findings& findings, bool witness) {
    const RegisterChecker checker(read.history, read.writers);
    for (const Model model : models.list()) {
        if (findings.violated.has(model)) {
            continue;  // a weaker one fails already, and said why
        }
        RegisterAnswer answer = checker.check(model);
        if (answer.kind == Kind::unknown) {
            findings.doubts.push_back(std::move(answer.reason));
            continue;
        }
        if (answer.kind == Kind::violated) {
            findings.violated |= answer.violates;
        } else if (witness && model >= Model::serializable) {
            findings.serial_order = std::move(answer.commits);
        }
        for (Anomaly& anomaly : answer.anomalies) {
            anomaly.id = findings.anomalies.size() + 1;
            findings.violated |= anomaly.violates;
            findings.anomalies.push_back(std::move(anomaly));
        }
    }
}

}  // namespace

bool needs_real_time(ModelSet asked) noexcept {
    for (const Model model : {Model::strong_read_uncommitted, Model::strong_read_committed,
                              Model::strong_snapshot_isolation, Model::strict_serializable}) {
        if (asked.has(model)) {
            return true;
        }
    }
    return false;
}

Findings check_history(const ReadHistory& read, const std::string& source,
                       const CheckOptions& options) {
    Findings findings;
    findings.source = source;
    findings.format = history::to_string(read.format);
    findings.asked = options.asked.empty() ? ModelSet{Model::serializable} : options.asked;
    if (read.history.model == HistoryModel::lists) {
        check_lists(read, options, findings);
        return findings;
    }
    count(read.history, findings.statistics);
    ModelSet models = findings.asked;
    if (options.asked.empty()) {
        for (const Model weaker : {Model::read_committed, Model::read_atomic, Model::causal,
                                   Model::snapshot_isolation}) {
            models.add(weaker);
        }
    }
    if (read.history.model == HistoryModel::predicates) {
        check_predicates(read, models, findings);
    } else {
        check_registers(read, models, findings, options.witness);
    }
    findings.verdict = !findings.violated.empty() ? Verdict::violation
                       : !findings.doubts.empty() ? Verdict::unknown
                                                  : Verdict::clean;
    ++findings.statistics.searches;
    findings.statistics.violations = findings.anomalies.size();
    return findings;
}

}  // namespace isotap::analysis
