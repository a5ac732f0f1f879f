#include "proxy/tap/anomaly_record.hpp"

#include "analysis/report/clock_text.hpp"
#include "analysis/report/row_text.hpp"

namespace isotap::proxy {

std::size_t size_of(const AnomalyRecord& record) noexcept {
    std::size_t bytes = sizeof record + record.anomaly.edges.size() * sizeof(analysis::CycleEdge) +
                        record.rows.size() * sizeof(std::string) * 4;
    for (const KeptTransaction& transaction : record.transactions) {
        bytes += size_of(transaction);
    }
    return bytes;
}

std::string RecordNames::transaction(history::TransactionId id) const {
    return "T" + std::to_string(static_cast<std::uint64_t>(id));
}

std::string RecordNames::origin(history::TransactionId id) const {
    const KeptTransaction* kept = find(id);
    return kept == nullptr ? "" : "began " + analysis::clock_text(kept->began);
}

std::string RecordNames::table(history::NameId table) const {
    for (const AnomalyRecord* record : records_) {
        if (const auto found = record->tables.find(table); found != record->tables.end()) {
            return found->second;
        }
    }
    const auto found = names_.find(table);
    return found == names_.end() ? "" : found->second;
}

std::string RecordNames::row(history::NameId table, history::RowKey row) const {
    for (const AnomalyRecord* record : records_) {
        if (const auto found = record->rows.find({table, row}); found != record->rows.end()) {
            return found->second;
        }
    }
    return analysis::row_text(row);
}

std::string RecordNames::value(history::Version /*version*/) const {
    return "";
}

const KeptTransaction* RecordNames::find(history::TransactionId id) const {
    for (const AnomalyRecord* record : records_) {
        for (const KeptTransaction& transaction : record->transactions) {
            if (transaction.id == id) {
                return &transaction;
            }
        }
    }
    return nullptr;
}

std::vector<analysis::NamedStatement> RecordNames::statements(history::TransactionId id) const {
    std::vector<analysis::NamedStatement> named;
    if (const KeptTransaction* kept = find(id)) {
        for (const KeptStatement& statement : kept->statements) {
            named.push_back({statement.ordinal, statement.text});
        }
    }
    return named;
}

}  // namespace isotap::proxy
