#pragma once

#include <cstdint>
#include <unordered_set>

#include "isotap/history/events.hpp"

#include "proxy/tap/event_parts.hpp"

namespace isotap::proxy {

/// Tells what belongs to a transaction whose beginning was seen, with nothing essential lost since.
/// What is left of one that was torn apart would look like all that it did. One thread.
class KnownTransactions {
  public:
    /// False for what must be left out.
    bool admits(const history::Event& event) {
        const auto id = static_cast<std::uint64_t>(transaction_of(event));
        if (id == 0 || std::holds_alternative<history::Gap>(event)) {
            return true;
        }
        if (std::holds_alternative<history::TransactionBegan>(event)) {
            open_.insert(id);
            return true;
        }
        if (std::holds_alternative<history::TransactionEnded>(event)) {
            return open_.erase(id) > 0;
        }
        // Who wrote, the server's number for him, and what he read may be told after the end.
        return std::holds_alternative<history::PredicateMatch>(event) ||
               std::holds_alternative<history::Alias>(event) ||
               std::holds_alternative<history::HeldRead>(event) || open_.contains(id);
    }

    /// So much was lost that none is known any more.
    void forget() { open_.clear(); }

  private:
    std::unordered_set<std::uint64_t> open_;
};

}  // namespace isotap::proxy
