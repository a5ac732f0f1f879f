#pragma once

#include <cstdint>
#include <utility>

#include "analysis/history/history.hpp"

namespace isotap::history {

/// Puts a register history together for formats that list one transaction after the other. Moments
/// are not known there.
class HistoryBuilder {
  public:
    /// Sessions count from 0, in the order in which they begin.
    std::uint32_t begin_session() noexcept { return history.sessions++; }

    void read(Value key, Value value) { add(key, value, OperationKind::read); }
    void write(Value key, Value value) { add(key, value, OperationKind::write); }
    void add(Value key, Value value, OperationKind kind) {
        history.operations.push_back({value, history.atoms.key(key), kind});
    }

    [[nodiscard]] bool has_open_operations() const noexcept {
        return history.operations.size() > first_;
    }

    /// Everything added since the last end becomes one transaction of the session.
    void end_transaction(std::uint32_t session, Outcome outcome, std::uint64_t label) {
        Transaction transaction;
        transaction.label = label;
        transaction.first_operation = first_;
        transaction.operations = static_cast<std::uint32_t>(history.operations.size() - first_);
        transaction.session = session;
        transaction.outcome = outcome;
        history.transactions.push_back(transaction);
        first_ = history.operations.size();
    }
    void end_transaction(std::uint32_t session, Outcome outcome) {
        end_transaction(session, outcome, history.transactions.size() + 1);
    }

    History history;

  private:
    std::size_t first_ = 0;
};

}  // namespace isotap::history
