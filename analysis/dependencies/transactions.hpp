#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "isotap/base/clock.hpp"
#include "isotap/history/events.hpp"

#include "analysis/dependencies/id_intervals.hpp"
#include "analysis/dependencies/mix.hpp"
#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

enum class Status : std::uint8_t {
    mentioned,  ///< somebody saw a version of it; itself it did not show up
    open,
    committed,
    aborted,
    indeterminate,  ///< nobody saw what it wrote, so it does not matter
};

struct Transaction {
    history::TransactionId id{};
    history::SessionId session{};
    Time began{};  ///< of one that is only mentioned: the latest time when that happened
    Time ended{};
    Status status = Status::mentioned;
    history::Outcome outcome = history::Outcome::committed;
    history::IsolationLevel level = history::IsolationLevel::unknown;
    bool incomplete = false;
    bool done = false;            ///< everything that it did is in the version chains
    Slot workspace = no_slot;     ///< what it did, while that is not so
    Slot versions = no_slot;      ///< first of those it made
    std::uint32_t unordered = 0;  ///< of those, how many whose predecessor nobody knows
    std::uint64_t alias = 0;      ///< the server's number for it, if there is one
    std::uint32_t aliases = 0;    ///< how many it has: subtransactions have their own
    std::uint32_t waiting = 0;    ///< accesses that wait for the name of a version
};

/// All transactions that still matter, by id. References are good until the next `of`.
class Transactions {
  public:
    /// The transaction, made up if it was never heard of. Nothing for a retired one.
    Slot of(history::TransactionId id) {
        if (const Slot known = find(id); known != no_slot) {
            return known;
        }
        if (retired_.has(static_cast<std::uint64_t>(id))) {
            return no_slot;
        }
        const Slot slot = pool_.take();
        pool_[slot].id = id;
        by_id_.emplace(static_cast<std::uint64_t>(id), slot);
        return slot;
    }

    [[nodiscard]] Slot find(history::TransactionId id) const noexcept {
        const auto found = by_id_.find(static_cast<std::uint64_t>(id));
        return found == by_id_.end() ? no_slot : found->second;
    }

    /// `remember`: its id must not be taken for that of a stranger later.
    void forget(Slot slot, bool remember) {
        const auto id = static_cast<std::uint64_t>(pool_[slot].id);
        by_id_.erase(id);
        if (remember) {
            retired_.add(id);
        }
        pool_[slot] = Transaction{};
        pool_.give_back(slot);
    }

    /// True as long as `slot` still stands for `id`.
    [[nodiscard]] bool is(Slot slot, history::TransactionId id) const noexcept {
        return slot != no_slot && pool_[slot].id == id;
    }

    Transaction& operator[](Slot slot) noexcept { return pool_[slot]; }
    const Transaction& operator[](Slot slot) const noexcept { return pool_[slot]; }

    [[nodiscard]] std::size_t size() const noexcept { return by_id_.size(); }
    [[nodiscard]] std::size_t extent() const noexcept { return pool_.extent(); }

    template <typename Visit>
    void for_each(Visit visit) const {
        for (Slot slot = 0; slot < pool_.extent(); ++slot) {
            if (pool_[slot].id != history::initial_transaction) {
                visit(slot);
            }
        }
    }

  private:
    struct Hash {
        using is_avalanching = void;
        std::size_t operator()(std::uint64_t id) const noexcept { return mix(id, 0); }
    };

    Pool<Transaction> pool_;
    boost::unordered_flat_map<std::uint64_t, Slot, Hash> by_id_;
    IdIntervals retired_;
};

}  // namespace isotap::analysis
