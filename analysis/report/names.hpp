#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isotap/history/events.hpp"

namespace isotap::analysis {

struct NamedStatement {
    std::uint32_t ordinal = 0;
    std::string text;
};

/// What people call the things that anomalies name by number. Whoever has the history at hand
/// implements it; reports ask only for what an anomaly mentions.
class Names {
  public:
    Names() = default;
    Names(const Names&) = delete;
    Names& operator=(const Names&) = delete;
    virtual ~Names() = default;

    /// "T12".
    [[nodiscard]] virtual std::string transaction(history::TransactionId id) const = 0;
    /// Where to find it in the source: "index 17 of the file"; empty where the name says it.
    [[nodiscard]] virtual std::string origin(history::TransactionId id) const = 0;
    /// Empty where there is only one.
    [[nodiscard]] virtual std::string table(history::NameId table) const = 0;
    [[nodiscard]] virtual std::string row(history::NameId table, history::RowKey row) const = 0;
    /// The value of a version: "5"; empty where values are not known.
    [[nodiscard]] virtual std::string value(history::Version version) const = 0;
    [[nodiscard]] virtual std::vector<NamedStatement> statements(
        history::TransactionId id) const = 0;
};

}  // namespace isotap::analysis
