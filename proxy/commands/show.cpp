#include <charconv>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/check/chronicle.hpp"
#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/report/text_report.hpp"
#include "proxy/commands/checked_history.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

struct ShowLine {
    std::string recording;
    std::string what;
    std::string id;
};

std::unique_ptr<CLI::App> make_app(ShowLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Shows what a recording knows about one thing: txn T5, stmt T5.1, row account:17, "
        "anomaly 1.",
        "isotap show");
    app->add_option("RECORDING", line.recording, "What to read")->required();
    app->add_option("WHAT", line.what, "txn, stmt, row or anomaly")->required();
    app->add_option("ID", line.id, "T5, T5.1, TABLE:KEY, or the number that 'check' gives")
        ->required();
    return app;
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

analysis::Chronicle::Subject subject_of(const ShowLine& line) {
    analysis::Chronicle::Subject subject;
    if (line.what == "row") {
        const std::size_t colon = line.id.rfind(':');
        if (colon == std::string::npos) {
            refuse(fmt::format("'{}' is no row: say TABLE:KEY", line.id));
        }
        subject.table = line.id.substr(0, colon);
        subject.row = line.id.substr(colon + 1);
        return subject;
    }
    std::string_view id = line.id;
    id.remove_prefix(id.starts_with('T') ? 1 : 0);
    const std::size_t dot = id.find('.');
    const auto transaction = number_in<std::uint64_t>(id.substr(0, dot));
    if (transaction) {
        subject.transaction = history::TransactionId{*transaction};
    }
    if (dot != std::string_view::npos) {
        subject.statement = number_in<std::uint32_t>(id.substr(dot + 1));
    }
    if (!transaction || subject.statement.has_value() != (line.what == "stmt")) {
        refuse(line.what == "stmt"
                   ? fmt::format("'{}' is no statement: say T5.1 for the first of T5", line.id)
                   : fmt::format("'{}' is no transaction: say T5", line.id));
    }
    return subject;
}

int show_anomaly(const ShowLine& line) {
    const auto id = number_in<std::uint64_t>(line.id);
    CheckedHistory checked = check_any(line.recording, std::nullopt, {});
    auto& anomalies = checked.findings.anomalies;
    std::erase_if(anomalies, [&](const analysis::Anomaly& anomaly) { return anomaly.id != id; });
    if (anomalies.empty()) {
        refuse(fmt::format("{} has no anomaly {}: 'isotap check' lists them", line.recording,
                           line.id));
    }
    write_anomaly_text(anomalies.front(), *checked.labels, std::cout);
    return 0;
}

}  // namespace

int run_show(const std::vector<std::string>& arguments) {
    ShowLine line;
    const auto app = make_app(line);
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    if (line.what == "anomaly") {
        return show_anomaly(line);
    }
    if (line.what != "txn" && line.what != "stmt" && line.what != "row") {
        refuse(
            fmt::format("there is no '{}' to show: choose txn, stmt, row or anomaly", line.what));
    }
    const analysis::Chronicle::Subject subject = subject_of(line);
    auto recording = history::recording::Recording::open(line.recording);
    if (!recording) {
        refuse(recording.error().message());
    }
    analysis::Chronicle chronicle(subject, std::cout);
    if (const auto error = recording->replay(chronicle)) {
        refuse(error->message());
    }
    if (!chronicle.told_anything()) {
        refuse(fmt::format("{} knows nothing of {} {}: see 'isotap check'", line.recording,
                           line.what, line.id));
    }
    return 0;
}

std::string help_for_show() {
    ShowLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
