#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isotap/history/events.hpp"

#include "proxy/workload/condition.hpp"
#include "proxy/workload/kept_events.hpp"

namespace isotap::proxy {

/// A statement that got every row that met its condition.
struct ConditionRead {
    history::StatementRef statement;
    Condition condition;
    std::size_t known_from = 0;  ///< the event at which the statement ended
};

/// What one transaction made of one row, all its statements together.
struct RowChange {
    history::StatementRef last;
    std::string table;
    history::RowKey row;
    history::Version before;
    history::Version after;
    std::size_t known_from = 0;  ///< the event that told of it last
};

/// A statement as it came.
struct SentStatement {
    std::string_view text;
    Time at{};
};

/// How a transaction was, and how it ended.
struct TransactionFate {
    history::SessionId session{};
    history::IsolationLevel level = history::IsolationLevel::unknown;
    std::optional<history::TransactionEnded> end;
};

/// Conditions and changes of a run, as its events have them. The events outlive it.
class RunDigest {
  public:
    /// `schema`: the one whose tables count.
    RunDigest(const KeptEvents& events, std::string_view schema, history::Dialect dialect);

    [[nodiscard]] const std::vector<ConditionRead>& reads() const noexcept { return reads_; }

    /// By transactions that committed.
    [[nodiscard]] std::vector<RowChange> changes() const;

    /// Whether a transaction that did not commit changed that row as well.
    [[nodiscard]] bool changed_in_vain(const std::string& table, history::RowKey row) const;

    /// How rows name a transaction: the last 32 bits of the server's numbers for it, or of ours
    /// where rows have a column for that.
    [[nodiscard]] std::vector<std::uint32_t> numbers(history::TransactionId transaction) const;

    /// Whether a statement got that row, or changed it.
    [[nodiscard]] bool touched(history::StatementRef statement, const std::string& table,
                               history::RowKey row) const;

    /// Of a statement that read by a condition or changed a row.
    [[nodiscard]] const SentStatement& sent(history::StatementRef statement) const {
        return sent_.at(statement);
    }

    [[nodiscard]] const TransactionFate& fate(history::TransactionId transaction) const {
        return fates_.at(transaction);
    }

    [[nodiscard]] std::string_view table_name(history::NameId table) const {
        return full_names_.at(table);
    }

    /// Nothing where no row of it was touched.
    [[nodiscard]] std::optional<history::NameId> table(const std::string& name) const;

  private:
    struct Reader;
    using RowName = std::pair<history::NameId, history::RowKey>;

    [[nodiscard]] bool committed(history::TransactionId transaction) const;

    history::Dialect dialect_;
    std::vector<ConditionRead> reads_;
    std::map<history::NameId, std::string> table_names_;      ///< without the schema
    std::map<history::NameId, std::string_view> full_names_;  ///< with it
    std::map<std::string, history::NameId> table_ids_;
    std::map<history::StatementRef, SentStatement> sent_;
    std::set<std::pair<history::StatementRef, RowName>> touched_;
    std::map<std::pair<history::TransactionId, RowName>, RowChange> changes_;
    std::map<history::TransactionId, std::vector<std::uint32_t>> numbers_;
    std::map<history::TransactionId, TransactionFate> fates_;
    std::set<history::SessionId> own_settings_;  ///< sessions whose conditions only they can judge
};

}  // namespace isotap::proxy
