#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "isotap/analysis/anomaly.hpp"

#include "analysis/history/history.hpp"

namespace isotap::analysis {

/// A history with predicates, told as one of registers, whose checkers can judge it.
///
/// What `:init` wrote is the state before the first transaction; a key that it leaves out is absent
/// there. A delete is a write. A predicate read is a read of every key: of those that it returned,
/// and of each other one where a single state of that key would not have matched. Where several
/// would not, the history does not say which was seen, and that read is left out: what breaks a
/// level then breaks it all the same, but nothing is proved by finding nothing.
///
/// The same transactions, sessions and keys in both; must not outlive the history under it.
class PredicateRegisters {
  public:
    explicit PredicateRegisters(const history::History& predicates);

    [[nodiscard]] const history::History& registers() const noexcept { return registers_; }
    /// Reads of absent keys that were left out.
    [[nodiscard]] std::size_t undecided() const noexcept { return undecided_; }

    /// Reads that do not show what their own transaction wrote before.
    [[nodiscard]] const std::vector<Anomaly>& missed_own_writes() const noexcept { return missed_; }

    /// What was found in the registers, in terms of the statements of the history itself.
    void restore(Anomaly& anomaly) const;

  private:
    /// What a key was at some time. Its number is the value of the register.
    struct State {
        history::Value value = history::initial_value;  ///< nothing: absent
        history::Value number = history::initial_value;
        std::uint32_t transaction = nobody;
        bool overwritten = false;  ///< by its own transaction
    };
    using Fits = std::function<bool(history::Value)>;
    static constexpr std::uint32_t nobody = ~std::uint32_t{0};

    void collect_states();
    void tell(std::uint32_t transaction);
    void tell_read(std::uint32_t transaction, history::KeyId key, const Fits& fits, bool unseen);
    void tell_predicate(std::uint32_t transaction, const history::PredicateObservation& read);
    [[nodiscard]] const State* own_state(std::uint32_t transaction,
                                         history::KeyId key) const noexcept;
    void tell_missed(std::uint32_t transaction, history::KeyId key);
    void add(history::OperationKind kind, history::KeyId key, history::Value number, bool unseen);
    [[nodiscard]] std::size_t index_of(history::TransactionId id,
                                       std::uint32_t statement) const noexcept;

    const history::History& source_;
    history::History registers_;
    std::vector<std::vector<State>> states_;  ///< by key; the initial one first
    std::vector<std::size_t> told_;           ///< by key: how many states but the initial one
    std::vector<const State*> own_;           ///< by key: of the transaction that is being told
    std::vector<std::uint32_t> places_;       ///< by operation of the registers: its statement
    std::vector<bool> unseen_;                ///< and whether it read a key that was not returned
    std::uint32_t place_ = 0;
    history::Value unwritten_ = 0;  ///< numbers of states that never were
    std::size_t undecided_ = 0;
    std::vector<Anomaly> missed_;
};

}  // namespace isotap::analysis
