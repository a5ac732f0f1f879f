#include "analysis/workload/isolation_tester_text.hpp"

#include <fmt/format.h>

namespace isotap::workload {
namespace {

void append(const Answer& answer, const std::string& session, std::string& text) {
    for (const std::string& notice : answer.notices) {
        text += fmt::format("{}: {}\n", session, notice);
    }
    text += answer.printed;
}

}  // namespace

std::string isolation_tester_heading(const Scenario& scenario) {
    return fmt::format("Parsed test spec with {} sessions\n", scenario.sessions.size());
}

std::string isolation_tester_text(const Scenario& scenario, const std::vector<Turn>& order,
                                  const Run& run) {
    std::string text = "\nstarting permutation:";
    for (const Turn& turn : order) {
        text += " " + scenario.steps[turn.step].name;
    }
    text += "\n";
    for (std::size_t i = 0; i < run.setup.size(); ++i) {
        append(run.setup[i], scenario.sessions[i].name, text);
    }
    for (const Event& event : run.events) {
        const std::string& session = scenario.sessions[event.session].name;
        if (event.happening == Happening::told) append(event.answer, session, text);
        const Step& step = scenario.steps[order[event.turn].step];
        if (event.happening == Happening::waits) {
            text += fmt::format("step {}: {} <waiting ...>\n", step.name, step.sql);
        } else if (event.happening == Happening::ended) {
            for (const std::string& notice : event.answer.notices) {
                text += fmt::format("{}: {}\n", session, notice);
            }
            text += event.waited ? fmt::format("step {}: <... completed>\n", step.name)
                                 : fmt::format("step {}: {}\n", step.name, step.sql);
            text += event.answer.printed;
        }
    }
    for (std::size_t i = 0; i < run.teardown.size(); ++i) {
        append(run.teardown[i], scenario.sessions[i].name, text);
    }
    return text;
}

}  // namespace isotap::workload
