#include "proxy/admin/live_api.hpp"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "isotap/proxy/version.hpp"

#include "analysis/report/json_report.hpp"
#include "analysis/report/utf8_text.hpp"
#include "proxy/admin/live_json.hpp"
#include "proxy/tap/live_findings.hpp"

namespace isotap::proxy {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds status_interval{1};

/// Open streams at once: so that enough connections are left for metrics.
constexpr long feeds_max = 16;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

AdminAnswer as_json(std::string body) {
    return {.content_type = "application/json",
            .body = analysis::in_utf8(std::move(body)) + "\n",
            .allow = {}};
}

AdminAnswer not_there(std::string_view what) {
    return {.status = 404, .body = fmt::format("there is no such {}\n", what), .allow = {}};
}

/// The number at the end of a path; a transaction's may begin with T.
std::optional<std::uint64_t> number_in(std::string_view text) {
    if (text.starts_with('T')) {
        text.remove_prefix(1);
    }
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

bool take_prefix(std::string_view& path, std::string_view prefix) {
    if (!path.starts_with(prefix)) {
        return false;
    }
    path.remove_prefix(prefix.size());
    return true;
}

json::object coverage_object(const AnalysisStatus& status) {
    const auto& coverage = status.statistics.coverage;
    json::array reasons;
    for (const analysis::CoverageReason& reason : coverage.reasons) {
        const auto name = status.reasons.find(reason.reason);
        reasons.push_back(
            json::object{{"reason", name == status.reasons.end() ? "" : view(name->second)},
                         {"count", reason.count},
                         {"example", reason.example}});
    }
    return {{"statements", coverage.statements},
            {"full", coverage.full},
            {"partial", coverage.partial},
            {"opaque", coverage.opaque},
            {"reasons", std::move(reasons)}};
}

json::array rings_array(const Tap& tap) {
    json::array rings;
    for (const RingFigures& ring : tap.figures()) {
        rings.push_back(json::object{{"events", ring.events},
                                     {"lost", ring.lost},
                                     {"gaps", ring.gaps},
                                     {"restarts", ring.restarts},
                                     {"depth", ring.depth},
                                     {"slots", ring.slots}});
    }
    return rings;
}

json::object anomalies_object(const Bulletin& bulletin) {
    json::array by;
    std::uint64_t hazards = 0;
    std::uint64_t violations = 0;
    for (const auto& [kind, count] : bulletin.tally()) {
        const bool violation = kind.second == analysis::Severity::violation;
        (violation ? violations : hazards) += count;
        by.push_back(json::object{
            {"type", kind.first}, {"severity", view(to_string(kind.second))}, {"count", count}});
    }
    return {{"hazards", hazards}, {"violations", violations}, {"by", std::move(by)}};
}

json::object transactions_object(const AnalysisStatus& status) {
    const auto& counts = status.statistics.transactions;
    return {{"committed", counts.committed},
            {"aborted", counts.aborted},
            {"indeterminate", counts.indeterminate},
            {"incomplete", counts.incomplete}};
}

}  // namespace

std::optional<AdminAnswer> LiveApi::answer(std::string_view path) const {
    if (path == "/api/status") {
        return as_json(status());
    }
    if (path == "/api/anomalies") {
        return as_json(anomalies());
    }
    if (path == "/api/coverage") {
        return as_json(coverage());
    }
    if (take_prefix(path, "/api/anomalies/")) {
        const auto id = number_in(path);
        const auto record = id ? tap_.bulletin().anomaly(*id) : nullptr;
        return record ? as_json(json::serialize(live_json(*record))) : not_there("anomaly");
    }
    if (take_prefix(path, "/api/transactions/")) {
        const auto id = number_in(path);
        const auto kept = id ? tap_.transaction(history::TransactionId{*id}) : std::nullopt;
        return kept ? as_json(json::serialize(live_json(*kept))) : not_there("transaction");
    }
    return std::nullopt;
}

std::string LiveApi::status() const {
    const AnalysisStatus status = tap_.status();
    json::object statements;
    for (std::size_t i = 0; i < statement_kind_count; ++i) {
        statements[view(to_string(static_cast<StatementKind>(i)))] = status.statements.at(i);
    }
    const std::chrono::duration<double> up = std::chrono::steady_clock::now() - began_;
    json::object object{{"isotap", 1},
                        {"version", view(version())},
                        {"engine", tap_.engine()},
                        {"uptime_seconds", up.count()},
                        {"verdict", view(to_string(status.verdict))},
                        {"doubts", json::array(status.doubts.begin(), status.doubts.end())},
                        {"sessions", status.sessions},
                        {"transactions", transactions_object(status)},
                        {"statements", std::move(statements)},
                        {"coverage", coverage_object(status)},
                        {"graph",
                         {{"transactions", status.statistics.live},
                          {"edges", status.statistics.edges},
                          {"retired", status.statistics.retired},
                          {"search_seconds", status.search_seconds},
                          {"verdict_lag_seconds", status.verdict_lag_seconds}}},
                        {"anomalies", anomalies_object(tap_.bulletin())},
                        {"restarts", status.restarts},
                        {"rings", rings_array(tap_)},
                        {"recording", nullptr}};
    if (const auto recording = tap_.recording()) {
        object["recording"] = {{"file", recording->path},
                               {"error", recording->error},
                               {"recorded", recording->recorded},
                               {"lost", recording->lost}};
    }
    return json::serialize(object);
}

std::string LiveApi::anomalies() const {
    const LiveFindings live = live_findings(tap_, "live");
    return json_report(live.findings, live.names);
}

std::string LiveApi::coverage() const {
    return json::serialize(coverage_object(tap_.status()));
}

std::function<std::string()> LiveApi::feed(std::uint64_t after) const {
    if (tickets_.use_count() > feeds_max) {
        return nullptr;
    }
    return
        [this, ticket = tickets_, state = FeedState{after, {}}]() mutable { return next(state); };
}

std::string LiveApi::next(FeedState& state) const {
    std::string text;
    for (const Bulletin::Record& record : tap_.bulletin().anomalies(state.last)) {
        state.last = record->anomaly.id;
        text += fmt::format("event: anomaly\nid: {}\ndata: {}\n\n", state.last,
                            analysis::in_utf8(json::serialize(live_json(*record))));
    }
    if (const auto now = std::chrono::steady_clock::now(); now >= state.status_due) {
        state.status_due = now + status_interval;
        text += fmt::format("event: status\ndata: {}\n\n", status());
    }
    return text;
}

}  // namespace isotap::proxy
