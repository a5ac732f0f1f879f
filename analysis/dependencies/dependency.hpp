#pragma once

#include <cstdint>
#include <span>

#include "isotap/analysis/anomaly.hpp"
#include "isotap/history/version.hpp"

#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

/// `from` comes before `to`, and why: what `CycleEdge` says, in slots instead of names.
struct Dependency {
    Slot from = no_slot;  ///< transaction
    Slot to = no_slot;    ///< transaction
    Slot row = no_slot;   ///< none for session order
    std::uint32_t from_statement = 0;
    std::uint32_t to_statement = 0;
    EdgeKind kind = EdgeKind::ww;
    bool predicate = false;
    bool current_read = false;
    bool decides = false;      ///< what `to` wrote went by this current read
    history::Version version;  ///< overwritten (ww), seen (wr, rw)
    bool emptied = false;      ///< with the table of the row, not by itself
};

/// Takes what the history proves, as soon as it is proved.
class DependencySink {
  public:
    DependencySink() = default;
    DependencySink(const DependencySink&) = delete;
    DependencySink& operator=(const DependencySink&) = delete;
    virtual ~DependencySink() = default;

    /// Both are committed and held by the transaction table.
    virtual void on_dependency(const Dependency& dependency) = 0;

    /// An anomaly that needs no cycle, and the steps that show it.
    virtual void on_finding(AnomalyType type, std::span<const Dependency> steps) = 0;

    /// A plain read and a locking read of one row, or a write over what was current, disagree
    /// inside a snapshot transaction.
    virtual void on_excused() = 0;

    /// An edge into a transaction that was retired: see `Statistics::breaches`.
    virtual void on_breach() = 0;

    /// The same, where it is known which one: `read` is an rw edge with no `to`, and the next
    /// version was `overwriter`, by a transaction that ended at `ended`.
    virtual void on_stale_read(const Dependency& read, const history::Version& overwriter,
                               Time ended) = 0;
};

}  // namespace isotap::analysis
