#pragma once

#include "analysis/history/formats.hpp"
#include "analysis/report/names.hpp"

namespace isotap::analysis {

/// The names of a history that was read from a file. Must not outlive it.
class HistoryNames final : public Names {
  public:
    explicit HistoryNames(const history::ReadHistory& read) noexcept : read_(read) {}

    [[nodiscard]] std::string transaction(history::TransactionId id) const override;
    [[nodiscard]] std::string origin(history::TransactionId id) const override;
    [[nodiscard]] std::string table(history::NameId table) const override;
    [[nodiscard]] std::string row(history::NameId table, history::RowKey row) const override;
    [[nodiscard]] std::string value(history::Version version) const override;
    [[nodiscard]] std::vector<NamedStatement> statements(history::TransactionId id) const override;

  private:
    [[nodiscard]] const history::Transaction* find(std::uint64_t id) const noexcept;
    [[nodiscard]] std::string spell(const history::Operation& operation) const;

    const history::ReadHistory& read_;
};

}  // namespace isotap::analysis
