#include <filesystem>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/document_reports.hpp"
#include "analysis/report/drawing.hpp"
#include "analysis/report/json_report.hpp"
#include "analysis/report/text_report.hpp"
#include "proxy/commands/checked_history.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/commands/output_file.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

namespace fs = std::filesystem;

constexpr int anomalies_found = 1;
constexpr int no_answer = 2;

struct CheckLine {
    std::vector<std::string> histories;
    std::string format = "auto";
    std::vector<std::string> levels;
    bool json = false;
    bool witness = false;
    std::string dot_folder;
    std::string junit_file;
    std::string html_file;
    std::string engine;
    std::string fail_on = "violation";
};

std::unique_ptr<CLI::App> make_app(CheckLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Reads histories, says which isolation levels they satisfy, and shows what breaks them.",
        "isotap check");
    app->add_option("HISTORY", line.histories, "Recordings, or files (for cobra, folders)")
        ->required();
    app->add_option("--format", line.format, "What they are written in; auto: by content")
        ->type_name("FORMAT");
    app->add_option("--engine", line.engine,
                    "Whose promises count in a recording, for example postgresql; as the recording "
                    "says if not given. A promise is about a level, and histories of other tools "
                    "do not say at which level their transactions ran: there, --level asks")
        ->type_name("ENGINE");
    app->add_option("--fail-on", line.fail_on, "What makes the exit code 1: violation or hazard")
        ->check(CLI::IsMember({"violation", "hazard"}))
        ->type_name("SEVERITY");
    app->add_option("--level", line.levels,
                    "What must hold, for example snapshot-isolation; if not given: what the "
                    "engine promises, or serializable for histories of other tools")
        ->type_name("LEVEL");
    app->add_flag("--json", line.json, "One JSON document a history, each on one line");
    app->add_flag("--witness", line.witness, "Also show a serial order if there is one");
    app->add_option("--dot", line.dot_folder, "Write every anomaly as a DOT and an SVG file there")
        ->type_name("DIR");
    app->add_option("--junit", line.junit_file, "Write a JUnit report")->type_name("FILE");
    app->add_option("--html", line.html_file, "Write a page with pictures (one history)")
        ->type_name("FILE");
    return app;
}

std::optional<history::Format> asked_format(const std::string& name) {
    if (name == "auto") {
        return std::nullopt;
    }
    const auto format = history::format_from(name);
    if (!format) {
        std::string known = "auto";
        for (const history::Format other : history::all_formats()) {
            known += ", ";
            known += to_string(other);
        }
        refuse(fmt::format("there is no format '{}': choose one of {}", name, known));
    }
    return format;
}

analysis::ModelSet asked_models(const std::vector<std::string>& names) {
    analysis::ModelSet models;
    for (const std::string& name : names) {
        const auto model = analysis::model_from(name);
        if (!model) {
            refuse(fmt::format("there is no level '{}': see 'isotap help check'", name));
        }
        models.add(*model);
    }
    return models;
}

/// What pictures of each history are called by. Histories of several folders may have one name.
std::vector<std::string> stems_of(const std::vector<std::string>& histories) {
    std::set<std::string> used;
    std::vector<std::string> stems;
    for (const std::string& history : histories) {
        const std::string name = fs::path(history).filename().string();
        std::string stem = name;
        for (int more = 2; !used.insert(stem).second; ++more) {
            stem = fmt::format("{}-{}", name, more);
        }
        stems.push_back(std::move(stem));
    }
    return stems;
}

void draw(const analysis::Findings& findings, const analysis::Names& names,
          const std::string& folder, const std::string& stem) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    for (const analysis::Anomaly& anomaly : findings.anomalies) {
        const fs::path file = fs::path(folder) / fmt::format("{}-{}", stem, anomaly.id);
        write_file(file.string() + ".dot", analysis::dot_of(anomaly, names));
        write_file(file.string() + ".svg", analysis::svg_of(anomaly, names));
    }
}

int exit_code_of(const analysis::Findings& findings, bool fail_on_hazard) {
    switch (findings.verdict) {
        case analysis::Verdict::violation: return anomalies_found;
        case analysis::Verdict::hazard: return fail_on_hazard ? anomalies_found : 0;
        case analysis::Verdict::unknown: return no_answer;
        case analysis::Verdict::clean: return 0;
    }
    return no_answer;
}

/// What was found weighs most: it is certain whatever else is unknown.
int worse(int a, int b) {
    return a == anomalies_found || b == anomalies_found ? anomalies_found : std::max(a, b);
}

analysis::Findings check_file(const std::string& path, const std::string& stem,
                              const CheckLine& line, const analysis::CheckOptions& options,
                              std::string& text) {
    CheckedHistory checked = check_any(path, asked_format(line.format), options);
    const analysis::Names& labels = *checked.labels;
    std::ostringstream report;
    write_text_report(checked.findings, labels, report);
    text = report.str();
    std::cout << (line.json ? analysis::json_report(checked.findings, *checked.names) + "\n"
                            : text);
    if (!line.dot_folder.empty()) {
        draw(checked.findings, labels, line.dot_folder, stem);
    }
    if (!line.html_file.empty()) {
        write_file(line.html_file, analysis::html_report(checked.findings, labels));
    }
    const auto& doubts = checked.findings.doubts;
    if (checked.findings.verdict == analysis::Verdict::unknown && !doubts.empty()) {
        fmt::print(stderr, "isotap: {}: unknown, {}: {}\n", path, doubts.front(),
                   checked.read ? "ask for a level that can be decided"
                                : "nothing was found in what is known");
    }
    return std::move(checked.findings);
}

}  // namespace

int run_check(const std::vector<std::string>& arguments) {
    CheckLine line;
    const auto app = make_app(line);
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (!line.html_file.empty() && line.histories.size() > 1) {
        refuse("--html shows one history: give one, or leave it out");
    }
    asked_format(line.format);
    const analysis::CheckOptions options{asked_models(line.levels), line.witness,
                                         asked_contract(line.engine)};
    const std::vector<std::string> stems = stems_of(line.histories);
    std::vector<analysis::Findings> all(line.histories.size());
    std::vector<analysis::JunitCase> cases;
    int code = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::string text;
        all[i] = check_file(line.histories[i], stems[i], line, options, text);
        code = worse(code, exit_code_of(all[i], line.fail_on == "hazard"));
        cases.push_back({&all[i], text});
    }
    if (!line.junit_file.empty()) {
        write_file(line.junit_file,
                   analysis::junit_report(cases, line.fail_on == "hazard"
                                                     ? analysis::Severity::hazard
                                                     : analysis::Severity::violation));
    }
    return code;
}

std::string help_for_check() {
    CheckLine line;
    std::string text = make_app(line)->help();
    text += "\nLevels, weaker before stronger:\n";
    for (std::size_t i = 0; i < analysis::model_count; ++i) {
        text += fmt::format("  {}\n", to_string(static_cast<analysis::Model>(i)));
    }
    return text;
}

}  // namespace isotap::proxy
