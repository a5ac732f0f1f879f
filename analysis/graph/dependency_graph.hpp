#pragma once

#include <cstdint>
#include <vector>

#include "analysis/dependencies/dependency.hpp"
#include "analysis/dependencies/pool.hpp"

namespace isotap::analysis {

/// The dependencies between live transactions, by the one that comes first.
class DependencyGraph {
  public:
    void add(const Dependency& dependency) {
        const Slot slot = edges_.take();
        if (dependency.from >= first_.size()) {
            first_.resize(std::size_t{dependency.from} + 1, no_slot);
        }
        edges_[slot] = {dependency, first_[dependency.from]};
        first_[dependency.from] = slot;
    }

    /// Forgets the transaction's outgoing edges. Whoever removes it has seen to it that no edge
    /// leads to it, or calls `remove_edges_if`.
    void remove(Slot transaction) {
        if (transaction >= first_.size()) {
            return;
        }
        for (Slot at = first_[transaction]; at != no_slot;) {
            const Slot following = edges_[at].next;
            edges_.give_back(at);
            at = following;
        }
        first_[transaction] = no_slot;
    }

    template <typename Unwanted>
    void remove_edges_if(Unwanted unwanted) {
        for (Slot& head : first_) {
            for (Slot* link = &head; *link != no_slot;) {
                const Slot at = *link;
                if (unwanted(edges_[at].dependency)) {
                    *link = edges_[at].next;
                    edges_.give_back(at);
                } else {
                    link = &edges_[at].next;
                }
            }
        }
    }

    /// Calls `visit(edge)` with the slot of each outgoing edge.
    template <typename Visit>
    void for_each_from(Slot transaction, Visit visit) const {
        if (transaction < first_.size()) {
            for (Slot at = first_[transaction]; at != no_slot; at = edges_[at].next) {
                visit(at);
            }
        }
    }

    [[nodiscard]] const Dependency& operator[](Slot edge) const noexcept {
        return edges_[edge].dependency;
    }
    [[nodiscard]] std::size_t size() const noexcept { return edges_.in_use(); }

  private:
    struct Edge {
        Dependency dependency;
        Slot next = no_slot;
    };

    Pool<Edge> edges_;
    std::vector<Slot> first_;  // by transaction
};

}  // namespace isotap::analysis
