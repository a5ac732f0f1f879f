#include "analysis/report/json_report.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "analysis/history/words.hpp"
#include "analysis/report/explanation.hpp"
#include "analysis/report/remedies.hpp"
#include "analysis/report/utf8_text.hpp"

namespace isotap::analysis {

namespace {

namespace json = boost::json;

json::array list(ModelSet models) {
    json::array names;
    for (const Model model : models.list()) {
        names.emplace_back(to_string(model));
    }
    return names;
}

json::object edge_object(const CycleEdge& edge, const Names& names) {
    json::object object;
    object["from"] = names.transaction(edge.from);
    object["to"] = names.transaction(edge.to);
    object["edge"] = to_string(edge.kind);
    const bool on_a_row =
        edge.kind == EdgeKind::ww || edge.kind == EdgeKind::wr || edge.kind == EdgeKind::rw;
    object["table"] = on_a_row ? names.table(edge.table) : "";
    object["row"] = on_a_row ? names.row(edge.table, edge.row) : "";
    object["version"] = version_name(edge.version, names);
    object["from_statement"] = edge.from_statement;
    object["to_statement"] = edge.to_statement;
    return object;
}

json::object transaction_object(const InvolvedTransaction& transaction, const Names& names) {
    json::object object;
    object["id"] = names.transaction(transaction.id);
    object["session"] = static_cast<std::uint64_t>(transaction.session);
    object["level"] = history::to_string(transaction.level);
    object["outcome"] = history::to_string(transaction.outcome);
    if (const std::string origin = names.origin(transaction.id); !origin.empty()) {
        object["origin"] = origin;
    }
    json::array statements;
    for (const NamedStatement& statement : names.statements(transaction.id)) {
        statements.push_back(json::object{{"n", statement.ordinal}, {"sql", statement.text}});
    }
    object["statements"] = std::move(statements);
    return object;
}

json::object anomaly_object(const Anomaly& anomaly, const Names& names) {
    json::object object;
    object["id"] = anomaly.id;
    object["type"] = name_of(anomaly.kind);
    object["name"] = plain_name(anomaly);
    object["severity"] = to_string(anomaly.severity);
    json::array levels;
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        const json::value level(history::to_string(transaction.level));
        if (transaction.level != history::IsolationLevel::unknown &&
            std::find(levels.begin(), levels.end(), level) == levels.end()) {
            levels.push_back(level);
        }
    }
    object["levels"] = std::move(levels);
    json::array forbidden;
    for (const Model model : boundary_of(anomaly.violates).weakest.list()) {
        forbidden.emplace_back(short_name(model));
    }
    object["forbidden_by"] = std::move(forbidden);
    std::string explanation;
    for (const std::string& sentence : explain(anomaly, names)) {
        explanation += (explanation.empty() ? "" : " ") + sentence;
    }
    object["explanation"] = explanation;
    const std::vector<std::string> ways = remedies(anomaly, names);
    object["remedies"] = json::array(ways.begin(), ways.end());
    json::array cycle;
    for (const CycleEdge& edge : anomaly.edges) {
        cycle.push_back(edge_object(edge, names));
    }
    object["cycle"] = std::move(cycle);
    json::array transactions;
    for (const InvolvedTransaction& transaction : anomaly.transactions) {
        transactions.push_back(transaction_object(transaction, names));
    }
    object["transactions"] = std::move(transactions);
    return object;
}

json::object coverage_object(const Statistics& statistics, const Names& names) {
    json::array reasons;
    for (const CoverageReason& reason : statistics.coverage.reasons) {
        reasons.push_back(json::object{{"reason", names.table(reason.reason)},
                                       {"count", reason.count},
                                       {"example", reason.example}});
    }
    return {{"statements", statistics.coverage.statements},
            {"full", statistics.coverage.full},
            {"partial", statistics.coverage.partial},
            {"opaque", statistics.coverage.opaque},
            {"reasons", std::move(reasons)}};
}

}  // namespace

std::string version_name(const history::Version& version, const Names& names) {
    switch (version.kind) {
        case history::VersionKind::initial: return "T0";
        case history::VersionKind::unborn: return "unborn";
        case history::VersionKind::dead: return "dead";
        case history::VersionKind::written:
            return names.transaction(history::TransactionId{version.writer}) + "." +
                   std::to_string(version.statement);
        case history::VersionKind::foreign: return "x" + std::to_string(version.writer);
        case history::VersionKind::unknown: break;
    }
    return "";
}

std::string json_anomaly(const Anomaly& anomaly, const Names& names) {
    return in_utf8(json::serialize(anomaly_object(anomaly, names)));
}

std::string json_report(const Findings& findings, const Names& names) {
    const auto& counts = findings.statistics.transactions;
    const Boundary boundary = boundary_of(findings.violated);
    json::array anomalies;
    for (const Anomaly& anomaly : findings.anomalies) {
        anomalies.push_back(anomaly_object(anomaly, names));
    }
    json::object object;
    object["isotap"] = 1;
    object["source"] = findings.source;
    object["format"] = findings.format;
    object["verdict"] = to_string(findings.verdict);
    object["transactions"] = {{"committed", counts.committed},
                              {"aborted", counts.aborted},
                              {"indeterminate", counts.indeterminate},
                              {"incomplete", counts.incomplete}};
    object["coverage"] = coverage_object(findings.statistics, names);
    object["models"] = {{"asked", list(findings.asked)},
                        {"not", list(boundary.weakest)},
                        {"also_not", list(boundary.also)}};
    object["doubts"] = json::array(findings.doubts.begin(), findings.doubts.end());
    object["anomalies"] = std::move(anomalies);
    if (!findings.serial_order.empty()) {
        json::array order;
        for (const history::TransactionId id : findings.serial_order) {
            order.emplace_back(names.transaction(id));
        }
        object["serial_order"] = std::move(order);
    }
    return in_utf8(json::serialize(object));
}

}  // namespace isotap::analysis
