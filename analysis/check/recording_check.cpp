#include "analysis/check/recording_check.hpp"

#include <utility>

#include <fmt/format.h>

#include "isotap/analysis/engine.hpp"

namespace isotap::analysis {

namespace {

std::vector<std::string> doubts_of(const Statistics& statistics) {
    std::vector<std::string> doubts;
    const auto say = [&doubts](std::uint64_t count, std::string_view what) {
        if (count != 0) {
            doubts.push_back(fmt::format("{} {}", count, what));
        }
    };
    say(statistics.gaps, "gaps: events that were lost, or that make no sense");
    say(statistics.transactions.incomplete, "transactions that were not captured completely");
    say(statistics.coverage.opaque, "statements that were not captured");
    say(statistics.coverage.partial, "statements that were captured in part");
    say(statistics.breaches, "reads of versions that should have been out of reach");
    say(statistics.more_witnesses, "edges in cycles that were not looked at any more");
    return doubts;
}

}  // namespace

history::ReadResult<Findings> check_recording(history::recording::Recording& recording,
                                              const std::string& source,
                                              const CheckOptions& options,
                                              const history::recording::Progress& progress) {
    Findings findings;
    findings.source = source;
    findings.format = "recording";
    findings.asked = options.asked;
    EngineOptions engine_options;
    engine_options.asked = options.asked;
    engine_options.contract = options.contract;
    engine_options.real_time_order = needs_real_time(options.asked);
    if (options.witness) {
        engine_options.on_serial_order = [&findings](history::TransactionId id) {
            findings.serial_order.push_back(id);
        };
    }
    Engine engine(std::move(engine_options));
    if (auto error = recording.replay(engine, progress)) {
        return *error;
    }
    engine.finish();
    findings.statistics = engine.statistics();
    findings.anomalies = engine.anomalies();
    findings.verdict = engine.verdict();
    for (const Anomaly& anomaly : findings.anomalies) {
        findings.violated |= anomaly.violates;
    }
    if (!findings.anomalies.empty()) {
        findings.serial_order.clear();
    }
    if (findings.verdict != Verdict::clean) {
        findings.doubts = doubts_of(findings.statistics);
    }
    return findings;
}

}  // namespace isotap::analysis
