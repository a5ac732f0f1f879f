#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "isotap/analysis/engine.hpp"

#include "proxy/tap/anomaly_record.hpp"

namespace isotap::proxy {

/// What a statement wants, by its first word.
enum class StatementKind : std::uint8_t { select, insert, update, remove, transaction, other };
inline constexpr std::size_t statement_kind_count = 6;
std::string_view to_string(StatementKind kind) noexcept;

/// What analysis knows at a moment.
struct AnalysisStatus {
    analysis::Statistics statistics;
    analysis::Verdict verdict = analysis::Verdict::unknown;
    std::vector<std::string> doubts;  ///< why the verdict cannot be 'clean'
    std::map<history::NameId, std::string> reasons;
    std::array<std::uint64_t, statement_kind_count> statements{};
    std::uint64_t restarts = 0;
    std::uint64_t sessions = 0;      ///< open now
    double search_seconds = 0;       ///< the last one took
    double verdict_lag_seconds = 0;  ///< the longest from the end of a cycle to its alarm
};

/// The board between the analysis thread, which writes, and whoever shows it. Thread-safe; every
/// call is short.
class Bulletin {
  public:
    using Record = std::shared_ptr<const AnomalyRecord>;
    using Tally = std::map<std::pair<std::string, analysis::Severity>, std::uint64_t>;

    explicit Bulletin(std::size_t kept_max) : kept_max_(kept_max) {}

    void publish(AnalysisStatus status);
    void add(Record record);

    [[nodiscard]] AnalysisStatus status() const;
    /// Those that are kept, oldest first, with ids beyond `after`.
    [[nodiscard]] std::vector<Record> anomalies(std::uint64_t after = 0) const;
    [[nodiscard]] Record anomaly(std::uint64_t id) const;
    /// All there ever were, by type and severity.
    [[nodiscard]] Tally tally() const;

  private:
    std::size_t kept_max_;
    mutable std::mutex mutex_;
    AnalysisStatus status_;
    std::deque<Record> records_;
    std::size_t bytes_ = 0;
    Tally tally_;
};

}  // namespace isotap::proxy
