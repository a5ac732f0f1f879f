#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isotap/analysis/anomaly.hpp"
#include "isotap/analysis/level.hpp"

#include "analysis/history/history.hpp"
#include "analysis/history/writer_index.hpp"
#include "analysis/registers/order_edge.hpp"
#include "analysis/registers/version_order_search.hpp"

namespace isotap::analysis {

struct RegisterAnswer {
    SearchAnswer::Kind kind = SearchAnswer::Kind::unknown;
    /// Unknown: why.
    std::string reason;
    std::vector<Anomaly> anomalies;
    /// Violated: every model that falls, whether an anomaly says so or not.
    ModelSet violates;
    /// Holds, and the level has a commit order: the transactions in it.
    std::vector<history::TransactionId> commits;
};

/// Histories of registers, where reads name their writer by the value but nothing names the order
/// of the writes.
///
/// Read committed, read atomic and causal are decided exactly, in near-linear time; they take the
/// order of sessions into account, as their definitions do. Prefix, snapshot isolation and
/// serializable search for an order of the writes, with a bound; the plain names leave the order of
/// sessions out, `strong-session-…` includes it, `strong-…` and `strict-…` include real time.
/// Any other model is answered `unknown`.
class RegisterChecker {
  public:
    /// The history and its index must outlive the checker.
    RegisterChecker(const history::History& history, const history::WriterIndex& writers,
                    std::size_t anomalies_max = 16);

    [[nodiscard]] RegisterAnswer check(Model model) const;

    /// Reads of one key in one transaction that saw different writers.
    [[nodiscard]] std::vector<Anomaly> non_repeatable_reads() const;

    static bool decides(Model model) noexcept;

  private:
    [[nodiscard]] RegisterAnswer decide(Model model) const;
    [[nodiscard]] std::optional<RegisterAnswer> without_sessions(Model model) const;
    void blame(Model model, RegisterAnswer& answer) const;
    [[nodiscard]] RegisterAnswer check_weak(Model model) const;
    [[nodiscard]] RegisterAnswer check_searched(Model model) const;
    void add_faults(Model model, RegisterAnswer& answer) const;
    [[nodiscard]] std::vector<Anomaly> cycles_among(Model model, OrderEdges edges,
                                                    const OrderEdges& inferred,
                                                    bool named_by_level) const;
    [[nodiscard]] OrderEdges known_order(bool sessions) const;

    const history::WriterIndex& writers_;
    ResolvedHistory resolved_;
    std::size_t anomalies_max_;
};

}  // namespace isotap::analysis
