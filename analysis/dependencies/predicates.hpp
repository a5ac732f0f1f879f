#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "isotap/history/events.hpp"

#include "analysis/dependencies/dependency.hpp"
#include "analysis/dependencies/rows.hpp"
#include "analysis/dependencies/transactions.hpp"
#include "analysis/dependencies/versions.hpp"
#include "analysis/dependencies/workspace.hpp"

namespace isotap::analysis {

/// Edges from rows that a condition would have matched and that were not returned.
///
/// Proved are two cases, all others say nothing:
/// - rw: a row matched after a write, the reader did not get it, and nothing that the reader could
///   have seen came after the write. So the reader saw the row as it was before.
/// - wr: the initial version of a row matched, and the reader did not get the row. So the reader
///   saw it as the first write left it, or later.
/// Where both hold for one write, the reader missed a row that matched at any time (InnoDB does so
/// when a row moves to another place of the key behind the back of a scan): that is a cycle.
/// A case is decided once everybody who overlapped the reader has ended: only then is it known what
/// the reader could have seen. Reader and writer are kept alive until then.
class Predicates {
  public:
    Predicates(Transactions& transactions, const Rows& rows, const Versions& versions,
               DependencySink& sink)
        : transactions_(transactions), rows_(rows), versions_(versions), sink_(sink) {}

    /// False when that predicate was read before.
    bool read(Slot reader, const history::PredicateRead& event);
    /// False when nobody read by that predicate, or it is decided already.
    bool match(const history::PredicateMatch& event);

    /// The reader committed, and this is what its statements returned.
    void on_committed(const Workspace& work);
    void on_aborted(const Workspace& work);
    /// Its rows may be gone without a version that says so.
    void on_emptied(history::NameId table) { emptied_.insert(static_cast<std::uint32_t>(table)); }
    /// The transaction is forced out: what hangs on it stays undecided.
    void forget(Slot transaction);

    void decide(Time horizon, bool at_end);

    /// Calls `visit(reader)` for each predicate that waits for nothing but the horizon.
    template <typename Visit>
    void for_each_complete(Visit visit) const {
        for (const auto& [id, predicate] : pending_) {
            if (is_complete(predicate)) {
                visit(predicate.reader);
            }
        }
    }

  private:
    struct Match {
        Slot writer = no_slot;
        std::uint32_t statement = 0;
        history::RowKey row;
        bool before = false;
        bool after = false;
    };
    struct Predicate {
        Slot reader = no_slot;
        std::uint32_t statement = 0;
        history::NameId table{};
        bool committed = false;
        std::vector<history::RowKey> returned;
        std::vector<Match> matches;
    };

    [[nodiscard]] bool is_complete(const Predicate& predicate) const;
    [[nodiscard]] bool is_due(const Predicate& predicate, Time horizon, bool at_end) const;
    void judge(const Predicate& predicate, const Match& match);
    [[nodiscard]] bool nothing_later_was_visible(const VersionNode& node,
                                                 const Predicate& predicate) const;
    void release(const Predicate& predicate);

    Transactions& transactions_;
    const Rows& rows_;
    const Versions& versions_;
    DependencySink& sink_;
    std::unordered_map<std::uint64_t, Predicate> pending_;
    std::unordered_set<std::uint32_t>
        emptied_;  ///< tables, also those of a statement that failed later
};

}  // namespace isotap::analysis
