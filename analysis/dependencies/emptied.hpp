#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "isotap/history/events.hpp"

#include "analysis/dependencies/dependency.hpp"
#include "analysis/dependencies/rows.hpp"
#include "analysis/dependencies/transactions.hpp"
#include "analysis/dependencies/versions.hpp"
#include "analysis/dependencies/workspace.hpp"

namespace isotap::analysis {

/// Edges to who emptied a table, from who had written or read its rows.
///
/// What is proved. Whoever empties a table holds it alone until he has ended. So a version that was
/// there before he asked to commit was there before he emptied the table, and so was everybody who
/// saw it: he, or who had removed it before him, came after them. That is what deleting the rows by
/// a condition that holds for all of them would tell, and what the edges are marked as:
/// `predicate`. Patterns that need one and the same row, or that every step is known, do not take
/// them.
///
/// What is not told. A snapshot taken earlier does not keep anybody from emptying what was written
/// since, which a delete would not have got through: from a transaction that reads from a snapshot
/// only those count that had ended when it began. Who finds the table empty afterwards, by whatever
/// snapshot, shows no row. Both are what PostgreSQL calls not MVCC-safe.
///
/// Decided once everything that happened until then has arrived, so that the cost is one look at
/// the rows of the table for any number of statements, and rows that nobody needs are forgotten.
class Emptied {
  public:
    Emptied(Transactions& transactions, Rows& rows, Versions& versions, DependencySink& sink)
        : transactions_(transactions), rows_(rows), versions_(versions), sink_(sink) {}

    /// The transaction has committed, and this is what it did.
    void on_committed(Slot transaction, const Workspace& work);
    /// The transaction is forced out: nothing is told any more.
    void forget(Slot transaction);

    [[nodiscard]] bool is_due(Time arrived) const noexcept;
    /// Rows that are in use are known then.
    void decide(Time arrived, bool at_end);

    /// Calls `visit(transaction)` for each that waits for nothing but time.
    template <typename Visit>
    void for_each_waiting(Visit visit) const {
        for (const Emptying& one : waiting_) {
            visit(one.by);
        }
    }

  private:
    struct Emptying {
        Slot by = no_slot;
        std::uint32_t statement = 0;
        history::NameId table{};
        Time before{};  ///< what was there at this moment is gone
    };
    using Emptyings = std::span<const Emptying>;

    void decide_table(Emptyings of_table);
    void decide_version(Slot version, Emptyings of_table);
    [[nodiscard]] Time was_there(const VersionNode& node) const;
    void tell_all(Slot version, const Emptying& by, std::size_t number);
    void tell(Dependency edge, const Emptying& by, std::size_t number);
    [[nodiscard]] bool committed(Slot transaction) const noexcept;

    Transactions& transactions_;
    Rows& rows_;
    Versions& versions_;
    DependencySink& sink_;
    std::vector<Emptying> waiting_;
    /// Of one table at a time: who has an edge of which kind to which of those that emptied it.
    boost::unordered_flat_set<std::uint64_t> told_;
};

}  // namespace isotap::analysis
