#include <fstream>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/history/recording/register_history.hpp"
#include "analysis/history/writers.hpp"
#include "proxy/commands/command.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {
namespace {

struct ExportLine {
    std::string history;
    std::string format;
    std::string file;
};

std::unique_ptr<CLI::App> make_app(ExportLine& line) {
    auto app = std::make_unique<CLI::App>(
        "Writes a history in the format of another checker: elle-append, elle-register, plume or "
        "dbcop-bincode. A recording becomes a history of registers: a key is a row, a value one "
        "version of it.",
        "isotap export");
    app->add_option("HISTORY", line.history, "What to read")->required();
    app->add_option("--format", line.format, "What to write")->type_name("FORMAT")->required();
    app->add_option("-o,--output", line.file, "Where to; standard output if not given")
        ->type_name("FILE");
    return app;
}

history::ReadResult<history::ReadHistory> read_any(const std::string& path) {
    if (!history::recording::is_recording(path)) {
        return history::read_history(path);
    }
    auto recording = history::recording::Recording::open(path);
    if (!recording) {
        return recording.error();
    }
    return history::recording::as_registers(*recording);
}

}  // namespace

int run_export(const std::vector<std::string>& arguments) {
    ExportLine line;
    const auto app = make_app(line);
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    const auto format = history::format_from(line.format);
    if (!format || !can_write(*format)) {
        refuse(fmt::format(
            "no history is written as '{}': choose elle-append, elle-register, plume or "
            "dbcop-bincode",
            line.format));
    }
    const auto read = read_any(line.history);
    if (!read) {
        refuse(read.error().message());
    }
    std::ofstream file;
    if (!line.file.empty()) {
        file.open(line.file, std::ios::binary);
    }
    std::ostream& out = line.file.empty() ? std::cout : file;
    if (const auto written = write_history(*read, *format, out); !written) {
        refuse(fmt::format("{}: {}: choose another format", line.history, written.error()));
    }
    out.flush();
    if (!out) {
        refuse(fmt::format("{} cannot be written: choose another place",
                           line.file.empty() ? "standard output" : line.file));
    }
    return 0;
}

std::string help_for_export() {
    ExportLine line;
    return make_app(line)->help();
}

}  // namespace isotap::proxy
