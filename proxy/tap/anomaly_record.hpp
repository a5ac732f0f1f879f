#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/report/names.hpp"
#include "proxy/tap/kept_history.hpp"

namespace isotap::proxy {

/// An anomaly of live traffic with all that is needed to tell of it later, when nothing else
/// remembers. Never changed once made: any thread may read it.
struct AnomalyRecord {
    analysis::Anomaly anomaly;
    Time found{};
    std::vector<KeptTransaction> transactions;  ///< those that were still remembered
    std::map<history::NameId, std::string> tables;
    std::map<std::pair<history::NameId, history::RowKey>, std::string> rows;
};

/// About what it takes in memory.
std::size_t size_of(const AnomalyRecord& record) noexcept;

/// The names of what some records mention. The records must outlive it.
class RecordNames final : public analysis::Names {
  public:
    RecordNames() = default;
    explicit RecordNames(const AnomalyRecord& record) { add(record); }

    void add(const AnomalyRecord& record) { records_.push_back(&record); }
    /// A name beside those of tables: why coverage is not full.
    void add(history::NameId id, std::string text) { names_[id] = std::move(text); }

    ~RecordNames() override = default;
    RecordNames(RecordNames&& other) noexcept
        : records_(std::move(other.records_)), names_(std::move(other.names_)) {}
    RecordNames(const RecordNames&) = delete;
    RecordNames& operator=(const RecordNames&) = delete;
    RecordNames& operator=(RecordNames&&) = delete;

    [[nodiscard]] std::string transaction(history::TransactionId id) const override;
    [[nodiscard]] std::string origin(history::TransactionId id) const override;
    [[nodiscard]] std::string table(history::NameId table) const override;
    [[nodiscard]] std::string row(history::NameId table, history::RowKey row) const override;
    [[nodiscard]] std::string value(history::Version version) const override;
    [[nodiscard]] std::vector<analysis::NamedStatement> statements(
        history::TransactionId id) const override;

  private:
    [[nodiscard]] const KeptTransaction* find(history::TransactionId id) const;

    std::vector<const AnomalyRecord*> records_;
    std::map<history::NameId, std::string> names_;
};

}  // namespace isotap::proxy
