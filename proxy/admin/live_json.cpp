#include "proxy/admin/live_json.hpp"

#include <algorithm>
#include <chrono>

#include <boost/json.hpp>

#include "analysis/history/words.hpp"
#include "analysis/report/explanation.hpp"
#include "analysis/report/json_report.hpp"
#include "analysis/report/remedies.hpp"

namespace isotap::proxy {
namespace {

namespace json = boost::json;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

std::int64_t microseconds(Time at) {
    return std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
}

std::string_view word(history::StatementOutcome outcome) {
    switch (outcome) {
        case history::StatementOutcome::completed: return "completed";
        case history::StatementOutcome::suspended: return "suspended";
        case history::StatementOutcome::failed: return "failed";
        case history::StatementOutcome::skipped: return "skipped";
        case history::StatementOutcome::cut: return "cut";
    }
    return "";
}

std::string_view word(history::Coverage coverage) {
    switch (coverage) {
        case history::Coverage::none: return "none";
        case history::Coverage::opaque: return "opaque";
        case history::Coverage::partial: return "partial";
        case history::Coverage::full: return "full";
    }
    return "";
}

json::array edges_of(const analysis::Anomaly& anomaly, const RecordNames& names) {
    json::array edges;
    for (const analysis::CycleEdge& edge : anomaly.edges) {
        edges.push_back(json::object{{"from", names.transaction(edge.from)},
                                     {"to", names.transaction(edge.to)},
                                     {"edge", view(to_string(edge.kind))},
                                     {"table", names.table(edge.table)},
                                     {"row", names.row(edge.table, edge.row)},
                                     {"version", analysis::version_name(edge.version, names)},
                                     {"from_statement", edge.from_statement},
                                     {"to_statement", edge.to_statement},
                                     {"reason", analysis::reason_of(edge, names)}});
    }
    return edges;
}

/// One of which nothing is remembered but what the anomaly itself says.
json::object forgotten(const analysis::InvolvedTransaction& transaction, const RecordNames& names) {
    return {{"id", names.transaction(transaction.id)},
            {"session", static_cast<std::uint64_t>(transaction.session)},
            {"level", view(history::to_string(transaction.level))},
            {"outcome", view(history::to_string(transaction.outcome))},
            {"incomplete", transaction.incomplete},
            {"began", nullptr},
            {"ended", nullptr},
            {"statements", json::array()}};
}

json::array strings(const std::vector<std::string>& texts) {
    return json::array(texts.begin(), texts.end());
}

}  // namespace

json::object live_json(const KeptTransaction& transaction) {
    json::array statements;
    for (const KeptStatement& statement : transaction.statements) {
        json::object object{{"n", statement.ordinal},
                            {"sql", statement.text},
                            {"began", microseconds(statement.began)},
                            {"ended", nullptr},
                            {"outcome", view(word(statement.outcome))},
                            {"coverage", view(word(statement.coverage))},
                            {"rows", statement.rows}};
        if (statement.ended != Time{}) {
            object["ended"] = microseconds(statement.ended);
        }
        statements.push_back(std::move(object));
    }
    json::object object{
        {"id", "T" + std::to_string(static_cast<std::uint64_t>(transaction.id))},
        {"session", static_cast<std::uint64_t>(transaction.session)},
        {"level", view(history::to_string(transaction.level))},
        {"outcome", transaction.open ? "open" : view(history::to_string(transaction.outcome))},
        {"incomplete", transaction.incomplete},
        {"began", microseconds(transaction.began)},
        {"ended", nullptr},
        {"left_out", transaction.left_out}};
    if (!transaction.open) {
        object["ended"] = microseconds(transaction.ended);
    }
    object["statements"] = std::move(statements);
    return object;
}

json::object live_json(const AnomalyRecord& record) {
    const RecordNames names(record);
    const analysis::Anomaly& anomaly = record.anomaly;
    json::array levels;
    json::array transactions;
    for (const analysis::InvolvedTransaction& involved : anomaly.transactions) {
        const json::value level(view(history::to_string(involved.level)));
        if (std::find(levels.begin(), levels.end(), level) == levels.end()) {
            levels.push_back(level);
        }
        const auto kept = std::find_if(record.transactions.begin(), record.transactions.end(),
                                       [&](const auto& t) { return t.id == involved.id; });
        transactions.push_back(kept == record.transactions.end() ? forgotten(involved, names)
                                                                 : live_json(*kept));
    }
    json::array forbidden;
    for (const analysis::Model model : analysis::boundary_of(anomaly.violates).weakest.list()) {
        forbidden.emplace_back(view(analysis::short_name(model)));
    }
    return {{"id", anomaly.id},
            {"type", name_of(anomaly.kind)},
            {"name", view(plain_name(anomaly))},
            {"severity", view(to_string(anomaly.severity))},
            {"found", microseconds(record.found)},
            {"levels", std::move(levels)},
            {"forbidden_by", std::move(forbidden)},
            {"explanation", strings(analysis::explain(anomaly, names))},
            {"advice", analysis::advice(anomaly, names)},
            {"remedies", strings(analysis::remedies(anomaly, names))},
            {"cycle", edges_of(anomaly, names)},
            {"transactions", std::move(transactions)}};
}

}  // namespace isotap::proxy
