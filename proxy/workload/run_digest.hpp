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

#include "proxy/workload/kept_events.hpp"

namespace isotap::proxy {

/// A statement that chose the rows of one table by a condition, and got every row that met it.
struct Condition {
    history::StatementRef statement;
    std::string table;
    std::string text;
    std::string alias;           ///< what the text calls the table
    std::size_t known_from = 0;  ///< the event at which the statement ended
};

/// The condition of a text that keeps no matching row back; nothing where there is none, or where
/// another evaluation might say something else.
std::optional<Condition> condition_of(std::string_view text);

/// What one transaction made of one row, all its statements together.
struct RowChange {
    history::StatementRef last;
    std::string table;
    history::RowKey row;
    history::Version before;
    history::Version after;
    std::size_t known_from = 0;  ///< the event that told of it last
};

/// Conditions and changes of a run, as its events have them. The events outlive it.
class RunDigest {
  public:
    /// `schema`: the one whose tables count.
    RunDigest(const KeptEvents& events, std::string_view schema);

    [[nodiscard]] const std::vector<Condition>& conditions() const noexcept { return conditions_; }

    /// By transactions that committed.
    [[nodiscard]] std::vector<RowChange> changes() const;

    /// The last 32 bits of the server's numbers for a transaction.
    [[nodiscard]] std::vector<std::uint32_t> numbers(history::TransactionId transaction) const;

    [[nodiscard]] std::string_view table_name(history::NameId table) const {
        return full_names_.at(table);
    }

    /// Nothing where no row of it was touched.
    [[nodiscard]] std::optional<history::NameId> table(const std::string& name) const;

  private:
    struct Reader;
    using RowName = std::pair<history::NameId, history::RowKey>;

    std::vector<Condition> conditions_;
    std::map<history::NameId, std::string> table_names_;      ///< without the schema
    std::map<history::NameId, std::string_view> full_names_;  ///< with it
    std::map<std::string, history::NameId> table_ids_;
    std::map<history::StatementRef, std::string_view> texts_;
    std::map<std::pair<history::TransactionId, RowName>, RowChange> changes_;
    std::map<history::TransactionId, std::vector<std::uint32_t>> numbers_;
    std::set<history::TransactionId> committed_;
};

}  // namespace isotap::proxy
