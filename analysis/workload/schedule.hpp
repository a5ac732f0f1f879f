#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analysis/workload/run.hpp"
#include "analysis/workload/scenario.hpp"

namespace isotap::workload {

/// What a statement does to the transaction around it, by its first words.
enum class Boundary : std::uint8_t { none, begins, ends };
Boundary boundary_of(std::string_view sql);

/// Which statement goes next: the transaction execution protocol. Statements are submitted in
/// their order; those of a session that waits stay behind until it goes on, and are then the next,
/// before what stands later in the file; what is left of a lost transaction is dropped. A
/// specification keeps to its order instead and drops nothing.
///
/// Pure: it is told what happens. The scenario and the order outlive it. One thread.
class Schedule {
  public:
    Schedule(const Scenario& scenario, const std::vector<Turn>& order);

    /// The turn to submit now. Nothing: all are submitted, or every session that has some left
    /// waits.
    [[nodiscard]] std::optional<std::size_t> next() const;

    /// The session whose turn is the first that is left; nothing when none is.
    [[nodiscard]] std::optional<std::size_t> first_left() const;

    /// Whether the next statement of its session rolls something back: then a failure is the
    /// scenario's own affair.
    [[nodiscard]] bool recovers(std::size_t turn) const;

    void submit(std::size_t turn);

    /// It has been answered. Gives what was dropped because of that.
    std::vector<std::size_t> end(std::size_t turn, bool transaction_lost);

    [[nodiscard]] std::size_t session_of(std::size_t turn) const {
        return scenario_->steps[(*order_)[turn].step].session;
    }

  private:
    const Scenario* scenario_;
    const std::vector<Turn>* order_;
    std::vector<bool> gone_;  ///< by turn: submitted or dropped
    std::vector<bool> busy_;  ///< by session
};

}  // namespace isotap::workload
