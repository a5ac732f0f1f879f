#include "proxy/commands/checked_history.hpp"

#include <cstdio>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "analysis/anomalies/built_in_contracts.hpp"
#include "analysis/check/history_names.hpp"
#include "analysis/check/recording_check.hpp"
#include "analysis/check/recording_names.hpp"
#include "analysis/report/short_names.hpp"
#include "proxy/ops/refuse.hpp"

namespace isotap::proxy {

namespace {

/// One line on standard error that says what takes so long, gone when it is over.
class ProgressLine {
  public:
    explicit ProgressLine(std::string path)
        : path_(std::move(path)), shown_(isatty(STDERR_FILENO) == 1) {}
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() {
        if (shown_) {
            fmt::print(stderr, "\r\033[K");
        }
    }

    void say(std::string_view what) const {
        if (shown_) {
            fmt::print(stderr, "\r\033[K{}: {}", path_, what);
            std::fflush(stderr);
        }
    }

    [[nodiscard]] history::recording::Progress counter() const {
        if (!shown_) {
            return {};
        }
        return [this](std::uint64_t done, std::uint64_t all) {
            constexpr std::uint64_t hundred = 100;
            say(fmt::format("{} %, {} events", all == 0 ? hundred : done * hundred / all, done));
        };
    }

  private:
    std::string path_;
    bool shown_;
};

CheckedHistory check_recording_file(const std::string& path, analysis::CheckOptions options,
                                    const ProgressLine& line) {
    auto recording = history::recording::Recording::open(path);
    if (!recording) {
        refuse(recording.error().message());
    }
    if (options.contract == nullptr) {
        options.contract = analysis::built_in_contract(recording->head().contract);
    }
    auto findings = analysis::check_recording(*recording, path, options, line.counter());
    if (!findings) {
        refuse(findings.error().message());
    }
    auto names = std::make_unique<analysis::RecordingNames>();
    line.say("looking up names");
    if (const auto error = names->collect(*recording, findings->anomalies)) {
        refuse(error->message());
    }
    auto labels = std::make_unique<analysis::ShortNames>(*names, findings->anomalies);
    return {nullptr, std::move(*findings), std::move(names), std::move(labels)};
}

}  // namespace

const analysis::Contract* asked_contract(const std::string& engine) {
    if (engine.empty()) {
        return nullptr;
    }
    const analysis::Contract* contract = analysis::built_in_contract(engine);
    if (contract == nullptr) {
        std::string known;
        for (const analysis::Contract& other : analysis::built_in_contracts()) {
            known += (known.empty() ? "" : ", ") + other.engine();
        }
        refuse(fmt::format("there is no engine '{}': choose one of {}", engine, known));
    }
    return contract;
}

CheckedHistory check_any(const std::string& path, std::optional<history::Format> format,
                         analysis::CheckOptions options) {
    const ProgressLine line(path);
    line.say("reading");
    if (!format && history::recording::is_recording(path)) {
        return check_recording_file(path, options, line);
    }
    if (options.contract != nullptr) {
        refuse(
            fmt::format("{}: histories of other tools do not say at which level their "
                        "transactions ran: ask with --level instead of --engine",
                        path));
    }
    auto read = history::read_history(path, format);
    if (!read) {
        refuse(read.error().message());
    }
    auto kept = std::make_unique<const history::ReadHistory>(std::move(*read));
    line.say("checking");
    analysis::Findings findings = analysis::check_history(*kept, path, options);
    auto names = std::make_unique<analysis::HistoryNames>(*kept);
    auto labels = std::make_unique<analysis::HistoryNames>(*kept);
    return {std::move(kept), std::move(findings), std::move(names), std::move(labels)};
}

}  // namespace isotap::proxy
