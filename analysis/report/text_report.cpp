#include "analysis/report/text_report.hpp"

#include <map>
#include <ostream>

#include "analysis/history/words.hpp"
#include "analysis/report/explanation.hpp"

namespace isotap::analysis {

namespace {

constexpr std::size_t shown_in_full = 10;

std::string list(ModelSet models) {
    std::string text;
    for (const Model model : models.list()) {
        text += (text.empty() ? "" : ", ");
        text += to_string(model);
    }
    return text;
}

void write_counts(const Findings& findings, std::ostream& out) {
    const auto& counts = findings.statistics.transactions;
    out << findings.source << ": " << findings.format << ", " << counts.committed
        << " transactions committed, " << counts.aborted << " aborted, " << counts.indeterminate
        << " indeterminate";
    if (counts.incomplete > 0) {
        out << ", " << counts.incomplete << " incomplete";
    }
    out << '\n';
}

void write_verdict(const Findings& findings, std::ostream& out) {
    out << "verdict: " << to_string(findings.verdict);
    if (!findings.asked.empty()) {
        out << " (asked: " << list(findings.asked) << ")";
    }
    out << '\n';
    if (!findings.violated.empty()) {
        const Boundary boundary = boundary_of(findings.violated);
        out << "not " << list(boundary.weakest);
        if (!boundary.also.empty()) {
            out << "; with that, also not " << list(boundary.also);
        }
        out << '\n';
    }
    for (const std::string& doubt : findings.doubts) {
        out << "unknown: " << doubt << '\n';
    }
}

void write_anomaly(const Anomaly& anomaly, const Names& names, std::ostream& out) {
    out << "\n#" << anomaly.id << ' ' << title_of(anomaly) << ": " << to_string(anomaly.severity)
        << '\n';
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        if (transaction.id == history::initial_transaction) {
            continue;
        }
        out << "  " << names.transaction(transaction.id) << ", session "
            << static_cast<std::uint64_t>(transaction.session) << ", "
            << history::to_string(transaction.outcome);
        if (transaction.level != history::IsolationLevel::unknown) {
            out << ", " << history::to_string(transaction.level);
        }
        if (const std::string origin = names.origin(transaction.id); !origin.empty()) {
            out << ", " << origin;
        }
        out << ':';
        const char* separator = " ";
        for (const NamedStatement& statement : names.statements(transaction.id)) {
            out << separator << statement.text;
            separator = "; ";
        }
        out << '\n';
    }
    for (const std::string& sentence : explain(anomaly, names)) {
        out << "  - " << sentence << '\n';
    }
}

void write_coverage(const Findings& findings, const Names& names, std::ostream& out) {
    const auto& coverage = findings.statistics.coverage;
    if (coverage.statements == 0) {
        return;
    }
    out << "coverage: " << coverage.statements << " statements, " << coverage.full << " captured, "
        << coverage.partial << " in part, " << coverage.opaque << " not at all\n";
    for (const CoverageReason& reason : coverage.reasons) {
        out << "  " << reason.count << " x " << names.table(reason.reason) << ", for example "
            << reason.example << '\n';
    }
}

}  // namespace

void write_anomaly_text(const Anomaly& anomaly, const Names& names, std::ostream& out) {
    write_anomaly(anomaly, names, out);
    if (const std::string prevention = advice(anomaly); !prevention.empty()) {
        out << "  " << prevention << '\n';
    }
}

void write_text_report(const Findings& findings, const Names& names, std::ostream& out) {
    write_counts(findings, out);
    write_verdict(findings, out);
    write_coverage(findings, names, out);
    std::map<std::string, std::size_t> by_title;
    std::size_t shown = 0;
    for (const Anomaly& anomaly : findings.anomalies) {
        ++by_title[title_of(anomaly)];
        if (shown < shown_in_full) {
            write_anomaly(anomaly, names, out);
            ++shown;
        }
    }
    if (findings.anomalies.size() > shown) {
        out << "\nAll " << findings.anomalies.size() << ", of which the first " << shown
            << " stand above (--json has every one):\n";
        for (const auto& [title, count] : by_title) {
            out << "  " << count << " x " << title << '\n';
        }
    }
    if (!findings.serial_order.empty()) {
        out << "\nThey might have run one after the other:\n ";
        for (const history::TransactionId id : findings.serial_order) {
            out << ' ' << names.transaction(id);
        }
        out << '\n';
    }
}

}  // namespace isotap::analysis
