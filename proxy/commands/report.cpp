#include <memory>

#include <CLI/CLI.hpp>

#include "analysis/report/document_reports.hpp"
#include "proxy/commands/checked_history.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/commands/output_file.hpp"

namespace isotap::proxy {
namespace {

struct ReportLine {
    std::string recording;
    std::string file;
    std::string engine;
};

std::unique_ptr<CLI::App> make_app(ReportLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Writes a page that needs no other file: verdict, coverage, and every anomaly with its "
        "words and its picture.",
        "isotap report");
    app->add_option("RECORDING", line.recording, "What to read: a recording, or any history")
        ->required();
    app->add_option("-o,--output", line.file, "Where to")->type_name("FILE")->required();
    app->add_option("--engine", line.engine, "What is promised; as the recording says if not given")
        ->type_name("ENGINE");
    return app;
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
    ReportLine line;
    const auto app = make_app(line);
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    analysis::CheckOptions options;
    options.contract = asked_contract(line.engine);
    const CheckedHistory checked = check_any(line.recording, std::nullopt, options);
    write_file(line.file, analysis::html_report(checked.findings, *checked.labels));
    return 0;
}

std::string help_for_report() {
    ReportLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
