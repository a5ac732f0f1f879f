#include "analysis/report/short_names.hpp"

#include <fmt/format.h>

namespace isotap::analysis {

ShortNames::ShortNames(const Names& names, std::span<const Anomaly> anomalies) : names_(names) {
    for (const Anomaly& anomaly : anomalies) {
        for (const InvolvedTransaction& transaction : anomaly.transactions) {
            if (transaction.id != history::initial_transaction) {
                labels_.try_emplace(transaction.id, fmt::format("T{}", labels_.size() + 1));
            }
        }
    }
}

std::string ShortNames::transaction(history::TransactionId id) const {
    const auto found = labels_.find(id);
    return found == labels_.end() ? names_.transaction(id) : found->second;
}

std::string ShortNames::origin(history::TransactionId id) const {
    const std::string origin = names_.origin(id);
    if (!labels_.contains(id)) {
        return origin;
    }
    return names_.transaction(id) + (origin.empty() ? "" : ", " + origin);
}

std::string ShortNames::table(history::NameId table) const {
    return names_.table(table);
}

std::string ShortNames::row(history::NameId table, history::RowKey row) const {
    return names_.row(table, row);
}

std::string ShortNames::value(history::Version version) const {
    return names_.value(version);
}

std::vector<NamedStatement> ShortNames::statements(history::TransactionId id) const {
    return names_.statements(id);
}

}  // namespace isotap::analysis
