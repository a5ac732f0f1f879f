#pragma once

#include <cstddef>
#include <string_view>

#include "analysis/registers/order_edge.hpp"

/// The levels above causal consistency ask whether the writes of each key can be ordered so that
/// the whole has no forbidden cycle. With blind writes that order is not in the history, and to
/// find it is NP-hard: hence a search with a bound.
namespace isotap::analysis {

enum class SearchedLevel : std::uint8_t { prefix, snapshot_isolation, serializable };

struct SearchOptions {
    bool session_order = true;
    bool real_time_order = false;
    /// Transactions beyond which only the cheap attempts are made: reachability among so many is
    /// kept as bits.
    std::size_t transactions_max = 8'192;
    /// Pairs of writers of one key that wait for an order.
    std::size_t pairs_max = 4'000'000;
    /// Pairs looked at, over the whole search.
    std::size_t steps_max = 50'000'000;
};

struct SearchAnswer {
    enum class Kind : std::uint8_t {
        holds,
        violated,
        unknown,  ///< a bound was hit: never to be taken for `holds`
    };
    Kind kind = Kind::unknown;
    /// Why it is unknown: which bound.
    std::string_view bound;
    /// Violated: a cycle that remains however the writes are ordered, or, with `many`, one of
    /// those of which every order leaves some.
    OrderEdges cycle;
    bool many = false;
    /// Holds: the transactions in the order of their commits. For `serializable`, a serial order.
    std::vector<Node> commits;
};

/// Decides a level. Sessions and reads must have no cycle (read committed holds).
SearchAnswer search_version_order(const ResolvedHistory& history, SearchedLevel level,
                                  const SearchOptions& options = {});

}  // namespace isotap::analysis
