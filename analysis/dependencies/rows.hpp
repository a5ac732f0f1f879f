#pragma once

#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "isotap/history/ids.hpp"
#include "isotap/history/version.hpp"

#include "analysis/dependencies/mix.hpp"
#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

struct Row {
    history::NameId table{};
    history::RowKey key;
    Slot versions = no_slot;  ///< those that are remembered, newest name first
    std::uint32_t version_count = 0;
    bool indexed = false;  ///< too many versions to walk along: they are found by name
    bool in_use = false;   ///< an access waits for the end of its transaction; see `pin_rows`
    /// What the transaction whose accesses are being read saw or wrote here last.
    history::TransactionId seen_by{};
    history::Version seen;
    std::uint32_t seen_in = 0;  ///< its statement
    bool seen_locking = false;
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
        pool_.give_back(slot);
    }

    /// Drops rows for which `may_go` says so, until no more than `limit` are left.
    template <typename MayGo>
    void shrink(std::size_t limit, MayGo may_go) {
        for (auto at = by_key_.begin(); at != by_key_.end() && by_key_.size() > limit;) {
            const auto candidate = at++;
            if (may_go(candidate->second)) {
                pool_.give_back(candidate->second);
                by_key_.erase(candidate);
            }
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

    Pool<Row> pool_;
    boost::unordered_flat_map<Key, Slot, Hash> by_key_;
};

}  // namespace isotap::analysis
