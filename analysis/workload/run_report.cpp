#include "analysis/workload/run_report.hpp"

#include <algorithm>

#include <boost/json.hpp>
#include <fmt/format.h>

namespace isotap::workload {
namespace {

namespace json = boost::json;

std::string level_of(const RunResult& result) {
    const auto level = result.run.setting.level;
    return std::string(level ? level_name(*level) : "as written");
}

bool has_symptoms(const Scenario& scenario) {
    return !scenario.symptoms.empty() ||
           std::any_of(scenario.steps.begin(), scenario.steps.end(),
                       [](const Step& step) { return !step.symptoms.empty(); });
}

/// "happens", and behind it what was found and whether it differs.
std::string cell_of(const RunResult& result) {
    std::string text(has_symptoms(*result.scenario) || result.fate != Fate::prevented
                         ? to_string(result.fate)
                         : "ran");
    if (const auto& anomalies = result.run.sighting.anomalies) {
        for (const FoundAnomaly& anomaly : *anomalies) {
            text += fmt::format(", {} ({})", anomaly.name, anomaly.severity);
        }
        if (anomalies->empty() && result.fate == Fate::happens) text += ", not found";
    }
    if (!result.run.sighting.unseen.empty()) text += " ~";
    return result.differences.empty() ? text : text + " !";
}

std::string schedule_of(const RunResult& result) {
    return schedule_text(*result.scenario, result.scenario->orders[result.order], result.run);
}

std::string name_of(const RunResult& result) {
    if (result.scenario->orders.size() == 1) return result.scenario->name;
    return fmt::format("{} #{}", result.scenario->name, result.order + 1);
}

std::string difference_text(const RunResult& result, const Difference& difference) {
    if (difference.place == Place{}) return fmt::format("{}: {}", result.file, difference.text);
    return fmt::format("{}:{}:{}: {}", result.file, difference.place.line, difference.place.column,
                       difference.text);
}

std::string unseen_text(const Unseen& unseen) {
    if (unseen.count == 0) return unseen.reason;
    return fmt::format("{} {}: {}: {}", unseen.count,
                       unseen.count == 1 ? "statement" : "statements", unseen.reason,
                       unseen.example);
}

/// What differs, what was found and why, what was not seen, and how it went.
std::string details_of(const RunResult& result) {
    std::string text;
    for (const Difference& difference : result.differences) {
        text += "! " + difference_text(result, difference) + "\n";
    }
    for (const FoundAnomaly& anomaly :
         result.run.sighting.anomalies.value_or(std::vector<FoundAnomaly>())) {
        text += fmt::format("* {} ({}), a {}\n", anomaly.name, anomaly.plain, anomaly.severity);
        for (const std::string& sentence : anomaly.explanation) text += "    " + sentence + "\n";
        for (const std::string& way : anomaly.remedies) text += "    to prevent it: " + way + "\n";
    }
    for (const Unseen& unseen : result.run.sighting.unseen) {
        text += "? not seen: " + unseen_text(unseen) + "\n";
    }
    return text + schedule_of(result);
}

template <typename Value>
std::vector<Value> distinct(std::span<const RunResult> results,
                            Value (*of)(const RunResult& result)) {
    std::vector<Value> all;
    for (const RunResult& result : results) {
        Value one = of(result);
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    }
    return all;
}

const RunResult* find(std::span<const RunResult> results, const std::string& name,
                      const std::string& level) {
    for (const RunResult& result : results) {
        if (name_of(result) == name && level_of(result) == level) return &result;
    }
    return nullptr;
}

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '<': safe += "&lt;"; break;
            case '>': safe += "&gt;"; break;
            case '&': safe += "&amp;"; break;
            case '"': safe += "&quot;"; break;
            default:
                // XML has no place for control characters.
                safe += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return safe;
}

json::object json_of(const RunResult& result) {
    json::array differences;
    for (const Difference& difference : result.differences) {
        differences.push_back({{"line", difference.place.line},
                               {"column", difference.place.column},
                               {"text", difference.text}});
    }
    json::object object{{"scenario", name_of(result)},
                        {"link", result.scenario->link},
                        {"file", result.file},
                        {"level", level_of(result)},
                        {"outcome", to_string(result.fate)},
                        {"schedule", schedule_of(result)},
                        {"differences", std::move(differences)}};
    if (const auto& found = result.run.sighting.anomalies) {
        json::array anomalies;
        for (const FoundAnomaly& anomaly : *found) {
            anomalies.push_back({{"type", anomaly.name},
                                 {"name", anomaly.plain},
                                 {"severity", anomaly.severity},
                                 {"explanation", json::value_from(anomaly.explanation)},
                                 {"remedies", json::value_from(anomaly.remedies)}});
        }
        object["anomalies"] = std::move(anomalies);
    }
    json::array unseen;
    for (const Unseen& one : result.run.sighting.unseen) {
        unseen.push_back({{"reason", one.reason}, {"count", one.count}, {"example", one.example}});
    }
    if (!unseen.empty()) object["unseen"] = std::move(unseen);
    return object;
}

}  // namespace

RunResult judge(const Scenario& scenario, std::string file, std::size_t order, Run run) {
    RunResult result{&scenario, std::move(file), order, std::move(run), Fate::prevented, {}};
    result.fate = fate_of(scenario, scenario.orders[order], result.run);
    result.differences = differences(scenario, scenario.orders[order], result.run);
    return result;
}

bool needs_attention(const RunResult& result) {
    const auto& anomalies = result.run.sighting.anomalies;
    if (result.scenario->expects() || !anomalies) return !result.differences.empty();
    return std::any_of(anomalies->begin(), anomalies->end(),
                       [](const FoundAnomaly& anomaly) { return anomaly.severity == "violation"; });
}

std::string text_matrix(std::span<const RunResult> results, bool schedules) {
    const std::vector<std::string> levels = distinct<std::string>(results, level_of);
    const std::vector<std::string> names = distinct<std::string>(results, name_of);
    std::size_t first = 8;
    for (const std::string& name : names) first = std::max(first, name.size());
    std::size_t width = 16;
    for (const RunResult& result : results) width = std::max(width, cell_of(result).size());
    std::string text = fmt::format("{:<{}}", "scenario", first);
    for (const std::string& level : levels) text += fmt::format("  {:<{}}", level, width);
    text += "\n";
    for (const std::string& name : names) {
        text += fmt::format("{:<{}}", name, first);
        for (const std::string& level : levels) {
            const RunResult* result = find(results, name, level);
            text += fmt::format("  {:<{}}", result == nullptr ? "-" : cell_of(*result), width);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    if (std::any_of(results.begin(), results.end(),
                    [](const RunResult& result) { return !result.run.sighting.unseen.empty(); })) {
        text += "~ not all that its statements read or wrote was seen";
        text += schedules ? "\n" : ": --schedules says which\n";
    }
    for (const RunResult& result : results) {
        if (result.differences.empty() && !schedules) continue;
        text += fmt::format("\n{} at {}: {}\n", name_of(result), level_of(result),
                            to_string(result.fate));
        text += details_of(result);
    }
    return text;
}

std::string json_runs(const ServerPattern& server, std::span<const RunResult> results) {
    json::array runs;
    for (const RunResult& result : results) runs.push_back(json_of(result));
    return json::serialize(json::object{
        {"isotap", 1}, {"engine", server.engine}, {"version", server.version}, {"runs", runs}});
}

std::string html_runs(const ServerPattern& server, std::span<const RunResult> results) {
    const std::vector<std::string> levels = distinct<std::string>(results, level_of);
    std::string text = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>isotap run: {0} "
        "{1}</title>\n<style>body{{font-family:sans-serif}}td,th{{border:1px solid #ccc;"
        "padding:.3em .6em;text-align:left;vertical-align:top}}table{{border-collapse:collapse}}"
        ".happens{{background:#fdd}}.aborted,.blocked{{background:#ffd}}.prevented{{background:"
        "#dfd}}.differs{{outline:2px solid #c00}}pre{{font-size:.85em}}</style></head>\n<body>"
        "<h1>{0} {1}</h1>\n<table><tr><th>scenario</th>",
        escaped(server.engine), escaped(server.version));
    for (const std::string& level : levels) text += "<th>" + escaped(level) + "</th>";
    text += "</tr>\n";
    for (const std::string& name : distinct<std::string>(results, name_of)) {
        text += "<tr><th>" + escaped(name) + "</th>";
        for (const std::string& level : levels) {
            const RunResult* result = find(results, name, level);
            if (result == nullptr) {
                text += "<td></td>";
                continue;
            }
            text += fmt::format(
                "<td class=\"{}{}\"><details><summary>{}</summary><pre>{}</pre>"
                "</details></td>",
                to_string(result->fate), result->differences.empty() ? "" : " differs",
                escaped(cell_of(*result)), escaped(details_of(*result)));
        }
        text += "</tr>\n";
    }
    return text + "</table></body></html>\n";
}

std::string junit_runs(const ServerPattern& server, std::span<const RunResult> results) {
    const auto failures = std::count_if(results.begin(), results.end(), needs_attention);
    std::string text = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"isotap run {} {}\" "
        "tests=\"{}\" failures=\"{}\">\n",
        escaped(server.engine), escaped(server.version), results.size(), failures);
    for (const RunResult& result : results) {
        text += fmt::format("<testcase classname=\"{}\" name=\"{}\">", escaped(name_of(result)),
                            escaped(level_of(result)));
        if (needs_attention(result)) {
            std::string differences;
            for (const Difference& difference : result.differences) {
                differences += difference_text(result, difference) + "\n";
            }
            text += fmt::format("<failure message=\"{}\">{}</failure>", escaped(cell_of(result)),
                                escaped(differences));
        }
        text +=
            fmt::format("<system-out>{}</system-out></testcase>\n", escaped(details_of(result)));
    }
    return text + "</testsuite>\n";
}

}  // namespace isotap::workload
