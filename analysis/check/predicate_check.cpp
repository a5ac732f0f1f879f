#include "analysis/check/predicate_check.hpp"

#include <string>
#include <utility>

#include "analysis/registers/predicate_registers.hpp"
#include "analysis/registers/register_checker.hpp"

namespace isotap::analysis {

namespace {

using Kind = SearchAnswer::Kind;

/// In which order one statement looked at its rows is not known, and read committed would ask: what
/// is stronger stands in for it. Repeatable read leaves out what only a condition shows, and the
/// checkers for registers do not tell that apart.
RegisterAnswer answer_for(Model model, const RegisterChecker& checker) {
    if (model == Model::repeatable_read) {
        RegisterAnswer answer;
        answer.reason = "repeatable-read is not decided where there are predicates";
        return answer;
    }
    if (model != Model::read_committed) {
        return checker.check(model);
    }
    RegisterAnswer answer = checker.check(Model::read_atomic);
    if (answer.kind == Kind::violated) {
        answer.kind = Kind::unknown;
        answer.reason = "read-committed is not decided where read-atomic fails";
        for (const Anomaly& anomaly : answer.anomalies) {
            if (violated_by(anomaly.kind).has(model)) {
                answer.kind = Kind::violated;
            }
        }
    }
    return answer;
}

}  // namespace

void check_predicates(const history::ReadHistory& read, ModelSet models, Findings& findings) {
    const PredicateRegisters predicates(read.history);
    const auto writers = history::WriterIndex::build(predicates.registers());
    if (!writers) {
        findings.doubts.push_back(writers.error().message());
        return;
    }
    const RegisterChecker checker(predicates.registers(), *writers);
    const auto add = [&findings](Anomaly anomaly, ModelSet besides) {
        anomaly.violates = besides | violated_by(anomaly.kind);
        anomaly.id = findings.anomalies.size() + 1;
        findings.violated |= anomaly.violates;
        findings.anomalies.push_back(std::move(anomaly));
    };
    bool holds = false;
    for (const Model model : models.list()) {
        if (findings.violated.has(model)) {
            continue;
        }
        RegisterAnswer answer = answer_for(model, checker);
        if (answer.kind == Kind::unknown) {
            findings.doubts.push_back(std::move(answer.reason));
            continue;
        }
        if (answer.kind == Kind::holds) {
            holds = true;
            continue;
        }
        findings.violated.add(model);
        for (Anomaly& anomaly : answer.anomalies) {
            predicates.restore(anomaly);
            add(std::move(anomaly), ModelSet{model});
        }
    }
    for (const Anomaly& anomaly : predicates.missed_own_writes()) {
        add(anomaly, {});
    }
    if (holds && predicates.undecided() != 0) {
        findings.doubts.push_back(std::to_string(predicates.undecided()) +
                                  " reads of absent keys could have seen several states");
    }
}

}  // namespace isotap::analysis
