#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// Labels for transactions whose own names are too long to tell apart: T1, T2 … in the order in
/// which the anomalies of a report mention them. The own name becomes part of the origin. For
/// people; programs get the names themselves.
class ShortNames final : public Names {
  public:
    /// `names` must outlive it; the anomalies need not.
    ShortNames(const Names& names, std::span<const Anomaly> anomalies);

    [[nodiscard]] std::string transaction(history::TransactionId id) const override;
    [[nodiscard]] std::string origin(history::TransactionId id) const override;
    [[nodiscard]] std::string table(history::NameId table) const override;
    [[nodiscard]] std::string row(history::NameId table, history::RowKey row) const override;
    [[nodiscard]] std::string value(history::Version version) const override;
    [[nodiscard]] std::vector<NamedStatement> statements(history::TransactionId id) const override;

  private:
    const Names& names_;
    std::map<history::TransactionId, std::string> labels_;
};

}  // namespace isotap::analysis
