#pragma once

#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "isotap/history/ids.hpp"
#include "isotap/history/version.hpp"

#include "analysis/dependencies/mix.hpp"
#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

/// What a look at a row may have shown.
enum class Look : std::uint8_t { snapshot, current, either };

struct Row {
    history::NameId table{};
    history::RowKey key;
    Slot versions = no_slot;  ///< those that are remembered, newest name first
    std::uint32_t version_count = 0;
    Slot next_of_table = no_slot;
    Slot previous_of_table = no_slot;
    bool indexed = false;  ///< too many versions to walk along: they are found by name
    bool in_use = false;   ///< an access waits for the end of its transaction; see `pin_rows`
    /// What the transaction whose accesses are being read saw or wrote here last.
    history::TransactionId seen_by{};
    history::Version seen;
    std::uint32_t seen_in = 0;   ///< its statement
    Look look = Look::snapshot;  ///< of a read
    /// `seen_by` inserted the row. Its snapshot may still show, beside its own, the row of that key
    /// that somebody else deleted meanwhile: PostgreSQL's unique indexes look at what is committed.
    bool born_there = false;
};

/// Rows by table and key. References are good until the next `of`.
class Rows {
  public:
    Slot of(history::NameId table, const history::RowKey& key) {
        const auto [place, fresh] = by_key_.try_emplace(Key{table, key}, no_slot);
        if (fresh) {
            const Slot slot = pool_.take();
            pool_[slot].table = table;
            pool_[slot].key = key;
            join_table(slot);
            place->second = slot;
        }
        return place->second;
    }

    [[nodiscard]] Slot find(history::NameId table, const history::RowKey& key) const noexcept {
        const auto found = by_key_.find(Key{table, key});
        return found == by_key_.end() ? no_slot : found->second;
    }

    Row& operator[](Slot slot) noexcept { return pool_[slot]; }
    const Row& operator[](Slot slot) const noexcept { return pool_[slot]; }
    [[nodiscard]] std::size_t size() const noexcept { return by_key_.size(); }

    void erase(Slot slot) {
        by_key_.erase(Key{pool_[slot].table, pool_[slot].key});
        leave_table(slot);
        pool_.give_back(slot);
    }

    /// Drops rows for which `may_go` says so, until no more than `limit` are left.
    template <typename MayGo>
    void shrink(std::size_t limit, MayGo may_go) {
        for (auto at = by_key_.begin(); at != by_key_.end() && by_key_.size() > limit;) {
            const auto candidate = at++;
            if (may_go(candidate->second)) {
                leave_table(candidate->second);
                pool_.give_back(candidate->second);
                by_key_.erase(candidate);
            }
        }
    }

    /// Calls `visit(row)` for each row of the table; it may erase the one that it is called with.
    template <typename Visit>
    void for_each_of(history::NameId table, Visit visit) {
        const auto found = first_of_table_.find(static_cast<std::uint32_t>(table));
        for (Slot at = found == first_of_table_.end() ? no_slot : found->second; at != no_slot;) {
            const Slot following = pool_[at].next_of_table;
            visit(at);
            at = following;
        }
    }

  private:
    struct Key {
        history::NameId table{};
        history::RowKey row;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        using is_avalanching = void;
        std::size_t operator()(const Key& key) const noexcept {
            return mix(key.row.low, mix(key.row.high, static_cast<std::uint64_t>(key.table)));
        }
    };

    void join_table(Slot slot) {
        Slot& first =
            first_of_table_.try_emplace(static_cast<std::uint32_t>(pool_[slot].table), no_slot)
                .first->second;
        pool_[slot].next_of_table = first;
        if (first != no_slot) {
            pool_[first].previous_of_table = slot;
        }
        first = slot;
    }
    void leave_table(Slot slot) {
        const Row& row = pool_[slot];
        if (row.previous_of_table != no_slot) {
            pool_[row.previous_of_table].next_of_table = row.next_of_table;
        } else {
            first_of_table_.find(static_cast<std::uint32_t>(row.table))->second = row.next_of_table;
        }
        if (row.next_of_table != no_slot) {
            pool_[row.next_of_table].previous_of_table = row.previous_of_table;
        }
    }

    Pool<Row> pool_;
    boost::unordered_flat_map<Key, Slot, Hash> by_key_;
    boost::unordered_flat_map<std::uint32_t, Slot> first_of_table_;  ///< newest
};

}  // namespace isotap::analysis
