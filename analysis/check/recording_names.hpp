#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/history/recording/recording_reader.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// "account", "17", "T5.1": how the events of a recording are spelled for people.
std::string spell(const history::Version& version);
std::string_view spell(history::AccessKind kind) noexcept;

/// The names of a recording: those that its anomalies mention, collected in one pass over it.
class RecordingNames final : public Names {
  public:
    /// Fails as reading does; then what was not reached has no names.
    std::optional<history::ReadError> collect(history::recording::Recording& recording,
                                              std::span<const Anomaly> anomalies);

    [[nodiscard]] std::string transaction(history::TransactionId id) const override;
    [[nodiscard]] std::string origin(history::TransactionId id) const override;
    [[nodiscard]] std::string table(history::NameId table) const override;
    [[nodiscard]] std::string row(history::NameId table, history::RowKey row) const override;
    [[nodiscard]] std::string value(history::Version version) const override;
    [[nodiscard]] std::vector<NamedStatement> statements(history::TransactionId id) const override;

  private:
    class Collector;
    using Row = std::pair<history::NameId, history::RowKey>;

    std::map<history::NameId, std::string> names_;
    std::map<Row, std::string> labels_;
    std::map<history::TransactionId, std::map<std::uint32_t, std::string>> statements_;
    std::map<history::TransactionId, Time> began_;
};

}  // namespace isotap::analysis
