#include "analysis/report/text_report.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/history/words.hpp"
#include "analysis/report/explanation.hpp"
#include "analysis/report/remedies.hpp"

namespace isotap::analysis {

namespace {

constexpr std::size_t line_length = 100;
constexpr std::size_t patterns_in_full = 10;
constexpr std::size_t statements_shown = 12;
constexpr std::size_t text_shown = 300;
constexpr std::size_t ids_shown = 5;

/// Lines of which none is longer than a terminal is wide, unless a word is.
std::string wrapped(std::string text, std::string_view indent) {
    std::size_t begin = 0;
    while (text.size() - begin > line_length) {
        const std::size_t space = text.rfind(' ', begin + line_length);
        if (space == std::string::npos || space <= begin + indent.size()) {
            break;
        }
        text.replace(space, 1, '\n' + std::string(indent));
        begin = space + 1;
    }
    return text;
}

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
        out << wrapped("not " + list(boundary.weakest) +
                           (boundary.also.empty() ? "" : ", nor anything stronger"),
                       "    ")
            << '\n';
    }
    for (const std::string& doubt : findings.doubts) {
        out << "unknown: " << doubt << '\n';
    }
}

std::string shortened(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (text.size() > text_shown) {
        text.resize(text_shown);
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80U) != 0) {
            text.pop_back();  // half of a character, or a whole one
        }
        text += " …";
    }
    return text;
}

bool is_named(const Anomaly& anomaly, history::TransactionId id, std::uint32_t ordinal) {
    return std::any_of(anomaly.edges.begin(), anomaly.edges.end(), [&](const CycleEdge& edge) {
        return (edge.from == id && edge.from_statement == ordinal) ||
               (edge.to == id && edge.to_statement == ordinal);
    });
}

/// In one line where they fit; else one a line with their numbers, and of many only the first and
/// those that the proof names.
void write_statements(const Anomaly& anomaly, history::TransactionId id, const std::string& head,
                      const Names& names, std::ostream& out) {
    const std::vector<NamedStatement> statements = names.statements(id);
    std::string line = head;
    for (const NamedStatement& statement : statements) {
        line += (line.size() == head.size() ? " " : "; ") + shortened(statement.text);
    }
    if (line.size() <= line_length) {
        out << line << '\n';
        return;
    }
    out << head << '\n';
    std::size_t left_out = 0;
    std::size_t shown = 0;
    for (const NamedStatement& statement : statements) {
        if (shown < statements_shown || is_named(anomaly, id, statement.ordinal)) {
            ++shown;
            out << "    " << statement.ordinal << "  " << shortened(statement.text) << '\n';
        } else {
            ++left_out;
        }
    }
    if (left_out > 0) {
        out << "    and " << left_out << " more statements\n";
    }
}

void write_anomaly(const Anomaly& anomaly, const Names& names, std::ostream& out) {
    out << "\n#" << anomaly.id << ' ' << title_of(anomaly) << ": " << to_string(anomaly.severity)
        << '\n';
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        if (transaction.id == history::initial_transaction) {
            continue;
        }
        std::string head = "  " + names.transaction(transaction.id) + ", session " +
                           std::to_string(static_cast<std::uint64_t>(transaction.session)) + ", ";
        head += history::to_string(transaction.outcome);
        if (transaction.level != history::IsolationLevel::unknown) {
            head += ", ";
            head += history::to_string(transaction.level);
        }
        if (const std::string origin = names.origin(transaction.id); !origin.empty()) {
            head += ", " + origin;
        }
        write_statements(anomaly, transaction.id, head + ":", names, out);
    }
    for (const std::string& sentence : explain(anomaly, names)) {
        out << "  - " << sentence << '\n';
    }
    out << "  What would prevent it:\n";
    for (const std::string& way : remedies(anomaly, names)) {
        out << wrapped("  * " + way, "    ") << '\n';
    }
}

/// Anomalies that look alike: the same kind on the same tables. Never empty. Broken promises come
/// first: they must not stand behind what a level permits.
using Pattern = std::vector<const Anomaly*>;

std::vector<Pattern> patterns_of(const std::vector<Anomaly>& anomalies) {
    using Key = std::tuple<Severity, AnomalyKind, std::string_view, std::set<history::NameId>>;
    std::map<Key, std::size_t> places;
    std::vector<Pattern> patterns;
    for (const Anomaly& anomaly : anomalies) {
        std::set<history::NameId> tables;
        for (const CycleEdge& edge : anomaly.edges) {
            tables.insert(edge.table);
        }
        const Key key{anomaly.severity, anomaly.kind, plain_name(anomaly), std::move(tables)};
        const auto [place, is_new] = places.try_emplace(key, patterns.size());
        if (is_new) {
            patterns.emplace_back();
        }
        patterns[place->second].push_back(&anomaly);
    }
    std::stable_partition(patterns.begin(), patterns.end(), [](const Pattern& pattern) {
        return pattern.front()->severity == Severity::violation;
    });
    return patterns;
}

std::string ids_of(std::span<const Anomaly* const> anomalies) {
    std::string ids;
    for (const Anomaly* anomaly : anomalies.first(std::min(ids_shown, anomalies.size()))) {
        ids += (ids.empty() ? "#" : ", #") + std::to_string(anomaly->id);
    }
    return anomalies.size() > ids_shown ? ids + " …" : ids;
}

/// The first of each pattern in full, then how many more there are.
void write_anomalies(const Findings& findings, const Names& names, std::ostream& out) {
    std::size_t shown = 0;
    for (const Pattern& pattern : patterns_of(findings.anomalies)) {
        const std::span<const Anomaly* const> all(pattern);
        if (shown++ < patterns_in_full) {
            write_anomaly(*all.front(), names, out);
            if (all.size() > 1) {
                out << "  and " << all.size() - 1 << " more like it: " << ids_of(all.subspan(1))
                    << '\n';
            }
            continue;
        }
        out << (shown == patterns_in_full + 1 ? "\nbesides:\n" : "") << "  " << all.size() << " x "
            << title_of(*all.front()) << ", " << to_string(all.front()->severity) << ": "
            << ids_of(all) << '\n';
    }
    const std::uint64_t found = findings.statistics.hazards + findings.statistics.violations;
    if (found > findings.anomalies.size()) {
        out << "\n" << found - findings.anomalies.size() << " more were found and are not kept\n";
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
            << shortened(reason.example) << '\n';
    }
}

}  // namespace

void write_anomaly_text(const Anomaly& anomaly, const Names& names, std::ostream& out) {
    write_anomaly(anomaly, names, out);
}

void write_text_report(const Findings& findings, const Names& names, std::ostream& out) {
    write_counts(findings, out);
    write_verdict(findings, out);
    write_coverage(findings, names, out);
    write_anomalies(findings, names, out);
    if (!findings.serial_order.empty()) {
        out << "\nThey might have run one after the other:\n ";
        for (const history::TransactionId id : findings.serial_order) {
            out << ' ' << names.transaction(id);
        }
        out << '\n';
    }
}

}  // namespace isotap::analysis
