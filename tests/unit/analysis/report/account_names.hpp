#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/report/names.hpp"

namespace isotap::analysis::testing {

/// T1, T2 …; every row is one of account; statements as they are put in.
class AccountNames final : public Names {
  public:
    std::map<history::TransactionId, std::vector<NamedStatement>> texts;

    [[nodiscard]] std::string transaction(history::TransactionId id) const override {
        return "T" + std::to_string(static_cast<std::uint64_t>(id));
    }
    [[nodiscard]] std::string origin(history::TransactionId /*id*/) const override { return ""; }
    [[nodiscard]] std::string table(history::NameId /*table*/) const override { return "account"; }
    [[nodiscard]] std::string row(history::NameId /*table*/, history::RowKey row) const override {
        return std::to_string(row.low);
    }
    [[nodiscard]] std::string value(history::Version /*version*/) const override { return ""; }
    [[nodiscard]] std::vector<NamedStatement> statements(history::TransactionId id) const override {
        const auto found = texts.find(id);
        return found == texts.end() ? std::vector<NamedStatement>{} : found->second;
    }
};

}  // namespace isotap::analysis::testing
