#include "analysis/report/document_reports.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "analysis/report/drawing.hpp"
#include "analysis/report/explanation.hpp"
#include "analysis/report/remedies.hpp"

namespace isotap::analysis {

namespace {

constexpr std::string_view page_head =
    R"(<!doctype html><html lang="en"><head><meta charset="utf-8"><title>isotap report</title>
<style>body{font-family:sans-serif;max-width:60em;margin:2em auto;padding:0 1em;line-height:1.5}
article{border-top:1px solid #ccc;padding:1em 0}code{background:#f2f2f2;padding:0 .3em}
table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .6em;text-align:left}
.violation{color:#c62828}.hazard{color:#b26a00}.unknown{color:#616161}.clean{color:#2e7d32}
</style></head><body><h1>isotap report</h1>
)";

std::string article(const Anomaly& anomaly, const Names& names) {
    const std::string_view severity = to_string(anomaly.severity);
    std::string html = fmt::format("<article><h2 class=\"{}\">#{} {}: {}</h2>\n<ul>", severity,
                                   anomaly.id, escaped(title_of(anomaly)), severity);
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        std::string statements;
        for (const NamedStatement& statement : names.statements(transaction.id)) {
            statements += " <code>" + escaped(statement.text) + "</code>";
        }
        const std::string origin = names.origin(transaction.id);
        html += fmt::format("<li>{} <small>(session {}{}{})</small>:{}</li>\n",
                            escaped(names.transaction(transaction.id)),
                            static_cast<std::uint64_t>(transaction.session),
                            origin.empty() ? "" : ", ", escaped(origin), statements);
    }
    html += "</ul>\n" + svg_of(anomaly, names) + "\n<ol>";
    for (const std::string& sentence : explain(anomaly, names)) {
        html += "<li>" + escaped(sentence) + "</li>\n";
    }
    html += "</ol>\n<p>What would prevent it:</p>\n<ul>";
    for (const std::string& way : remedies(anomaly, names)) {
        html += "<li>" + escaped(way) + "</li>\n";
    }
    return html + "</ul></article>\n";
}

std::string coverage(const Statistics& statistics, const Names& names) {
    const auto& counts = statistics.coverage;
    if (counts.statements == 0) {
        return "";
    }
    std::string html = fmt::format(
        "<h2>Coverage</h2>\n<p>{} statements: {} captured, {} in part, {} not at all. Silence "
        "about "
        "what was not captured proves nothing.</p>\n",
        counts.statements, counts.full, counts.partial, counts.opaque);
    if (!counts.reasons.empty()) {
        html += "<table><tr><th>why not</th><th>how often</th><th>for example</th></tr>\n";
        for (const CoverageReason& reason : counts.reasons) {
            html += fmt::format("<tr><td>{}</td><td>{}</td><td><code>{}</code></td></tr>\n",
                                escaped(names.table(reason.reason)), reason.count,
                                escaped(reason.example));
        }
        html += "</table>\n";
    }
    return html;
}

}  // namespace

std::string html_report(const Findings& findings, const Names& names) {
    const auto& counts = findings.statistics.transactions;
    std::string html(page_head);
    html += fmt::format(
        "<p>{}: <strong class=\"{}\">{}</strong>. {} transactions committed, {} aborted, {} "
        "indeterminate, {} incomplete.</p>\n",
        escaped(findings.source), to_string(findings.verdict), to_string(findings.verdict),
        counts.committed, counts.aborted, counts.indeterminate, counts.incomplete);
    for (const std::string& doubt : findings.doubts) {
        html += "<p class=\"unknown\">unknown: " + escaped(doubt) + "</p>\n";
    }
    html += coverage(findings.statistics, names);
    for (const Severity severity : {Severity::violation, Severity::hazard}) {
        for (const Anomaly& anomaly : findings.anomalies) {
            if (anomaly.severity == severity) html += article(anomaly, names);
        }
    }
    return html + "</body></html>\n";
}

std::string junit_report(std::span<const JunitCase> cases, Severity fails_on) {
    const bool hazards_fail = fails_on == Severity::hazard;
    const auto count = [&](Verdict verdict) {
        return std::count_if(cases.begin(), cases.end(), [&](const JunitCase& one) {
            return one.findings->verdict == verdict;
        });
    };
    std::string xml = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"isotap check\" "
        "tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        cases.size(), count(Verdict::violation) + (hazards_fail ? count(Verdict::hazard) : 0),
        count(Verdict::unknown));
    for (const JunitCase& one : cases) {
        xml += "  <testcase classname=\"isotap\" name=\"" + escaped(one.findings->source) + "\">";
        const Verdict verdict = one.findings->verdict;
        switch (verdict) {
            case Verdict::violation:
            case Verdict::hazard:
                if (verdict == Verdict::hazard && !hazards_fail) {
                    xml += "<system-out>" + escaped(one.text) + "</system-out>";
                    break;
                }
                xml += fmt::format("<failure message=\"{} anomalies\">{}</failure>",
                                   one.findings->anomalies.size(), escaped(one.text));
                break;
            case Verdict::unknown: xml += "<skipped message=\"unknown\"/>"; break;
            case Verdict::clean: break;
        }
        xml += "</testcase>\n";
    }
    return xml + "</testsuite>\n";
}

}  // namespace isotap::analysis
