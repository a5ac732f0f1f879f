#include "analysis/workload/run.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

namespace isotap::workload {
namespace {

bool plain(const std::string& text) {
    return !text.empty() && text != "null" &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/';
           });
}

std::string value_text(const std::optional<std::string>& value) {
    if (!value) return "null";
    if (plain(*value)) return *value;
    std::string text = "'";
    for (const char c : *value) {
        text += c;
        if (c == '\'') text += c;
    }
    return text + "'";
}

std::string answer_text(const Answer& answer) {
    if (answer.failed) {
        const std::string code =
            answer.number == 0 ? answer.state : fmt::format("{} ({})", answer.state, answer.number);
        return fmt::format("error {}: {}", code, answer.message);
    }
    if (answer.returns_rows) {
        return answer.rows.empty() ? "no rows" : rows_text(answer.rows);
    }
    return answer.affected == 0 ? "done" : fmt::format("{} rows changed", answer.affected);
}

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

std::string rows_text(const std::vector<Row>& rows) {
    std::string text;
    for (const Row& row : rows) {
        text += text.empty() ? "(" : " (";
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += (i == 0 ? "" : ",") + value_text(row[i]);
        }
        text += ")";
    }
    return text;
}

std::string sighting_text(const Sighting& sighting) {
    std::string text;
    for (const FoundAnomaly& anomaly : sighting.anomalies.value_or(std::vector<FoundAnomaly>())) {
        text += fmt::format("found {} ({})\n", anomaly.name, anomaly.severity);
    }
    return text;
}

std::string schedule_text(const Scenario& scenario, const std::vector<Turn>& order,
                          const Run& run) {
    std::string text;
    for (const Event& event : run.events) {
        const std::string& who = scenario.sessions[event.session].name;
        if (event.happening == Happening::told) continue;
        if (event.happening == Happening::added) {
            text +=
                fmt::format("{}> ROLLBACK  -- added: the transaction was lost or left open\n", who);
            continue;
        }
        text += fmt::format("{}> {}\n", who, one_line(scenario.steps[order[event.turn].step].sql));
        switch (event.happening) {
            case Happening::waits: {
                std::string by;
                for (const std::size_t blocker : event.blockers) {
                    by += (by.empty() ? " for " : ", ") + scenario.sessions[blocker].name;
                }
                text += fmt::format("    waits{}\n", by);
                break;
            }
            case Happening::dropped: text += "    not sent: its transaction was lost\n"; break;
            case Happening::ended:
            case Happening::added:
            case Happening::told:
                text += fmt::format("    {}{}\n", event.waited ? "after waiting: " : "",
                                    one_line(answer_text(event.answer)));
                break;
        }
    }
    return text;
}

}  // namespace isotap::workload
